//! Styled text in columns. Widths are those of the terminal: a Chinese character takes two columns.

use anstyle::{AnsiColor, Style};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns of a page.
pub const WIDTH: usize = 80;

/// Names of skills and headings.
pub const STRONG: Style = Style::new().bold();
/// Ids, labels and asides.
pub const FAINT: Style = Style::new().dimmed();
/// Placeholders and parameters.
pub const PARAMETER: Style = AnsiColor::Cyan.on_default();
/// Secrets.
pub const SECRET: Style = AnsiColor::Magenta.on_default();
/// What was learned.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What was left out or refused.
pub const BAD: Style = AnsiColor::Yellow.on_default();
/// Text as it is.
pub const PLAIN: Style = Style::new();

/// A piece of text in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    text: String,
    style: Style,
}

/// A piece of text in one style, safe to show: what a recorded text holds must not steer the terminal.
pub fn span(style: Style, text: impl AsRef<str>) -> Span {
    Span {
        text: text.as_ref().chars().map(harmless).collect(),
        style,
    }
}

fn harmless(c: char) -> char {
    match c {
        '\n' | '\r' | '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        // Marks that turn the direction of the text after them.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

/// Lays spans out in lines of a page: the first begins with a label, the others are indented by `indent`
/// columns. Lines break at spaces; a word longer than a line breaks anywhere.
pub fn paragraph(label: &Span, indent: usize, spans: &[Span]) -> String {
    let mut page = Page {
        out: render(label),
        column: label.text.width(),
        indent,
    };
    if page.column < indent {
        page.pad_to(indent);
    } else if !label.text.is_empty() {
        page.out.push_str("  ");
        page.column += 2;
    }
    // A word may change its style in the middle, so it ends at a space and not with its span.
    let mut word: Vec<Span> = Vec::new();
    for span in spans {
        for piece in span.text.pieces() {
            if piece.starts_with(' ') {
                page.word(&std::mem::take(&mut word));
                page.space(piece);
            } else {
                word.push(Span {
                    text: piece.to_string(),
                    style: span.style,
                });
            }
        }
    }
    page.word(&word);
    page.out.truncate(page.out.trim_end_matches(' ').len());
    page.out.push('\n');
    page.out
}

/// A paragraph without a label.
pub fn indented(indent: usize, spans: &[Span]) -> String {
    paragraph(&span(PLAIN, ""), indent, spans)
}

/// A paragraph that starts at the left edge.
pub fn line(spans: &[Span]) -> String {
    indented(0, spans)
}

struct Page {
    out: String,
    column: usize,
    indent: usize,
}

impl Page {
    /// Spaces at the start of a line are the break itself.
    fn space(&mut self, spaces: &str) {
        if self.column > self.indent {
            self.put(spaces, PLAIN);
        }
    }

    fn word(&mut self, pieces: &[Span]) {
        let width: usize = pieces.iter().map(|piece| piece.text.width()).sum();
        if self.column + width > WIDTH && self.column > self.indent {
            self.wrap();
        }
        for piece in pieces {
            if self.column + piece.text.width() <= WIDTH {
                self.put(&piece.text, piece.style);
                continue;
            }
            for grapheme in piece.text.graphemes(true) {
                if self.column + grapheme.width() > WIDTH {
                    self.wrap();
                }
                self.put(grapheme, piece.style);
            }
        }
    }

    fn put(&mut self, text: &str, style: Style) {
        self.out.push_str(&render(&Span {
            text: text.to_string(),
            style,
        }));
        self.column += text.width();
    }

    fn wrap(&mut self) {
        self.out.truncate(self.out.trim_end_matches(' ').len());
        self.out.push('\n');
        self.column = 0;
        self.pad_to(self.indent);
    }

    fn pad_to(&mut self, column: usize) {
        self.out
            .extend(std::iter::repeat_n(' ', column.saturating_sub(self.column)));
        self.column = self.column.max(column);
    }
}

fn render(span: &Span) -> String {
    if span.style == PLAIN || span.text.trim().is_empty() {
        return span.text.clone();
    }
    format!(
        "{}{}{}",
        span.style.render(),
        span.text,
        span.style.render_reset()
    )
}

/// Runs of spaces and the runs of text between them.
trait Pieces {
    fn pieces(&self) -> impl Iterator<Item = &str>;
}

impl Pieces for str {
    fn pieces(&self) -> impl Iterator<Item = &str> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let end = rest
                .find(|c: char| (c == ' ') != (first == ' '))
                .unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            rest = after;
            Some(piece)
        })
    }
}

/// A whole number with its noun, in the plural where it must be.
pub fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(indent: usize, text: &str) -> Vec<String> {
        indented(indent, &[span(PLAIN, text)])
            .lines()
            .map(str::to_string)
            .collect()
    }

    #[test]
    fn lines_break_at_spaces_and_keep_their_indent() {
        let lines = plain(4, &"seven c ".repeat(20));
        assert!(
            lines.len() == 3
                && lines
                    .iter()
                    .all(|line| line.starts_with("    s") && !line.ends_with(' ')),
            "{lines:?}"
        );
        assert!(lines.iter().all(|line| line.width() <= WIDTH));
    }

    #[test]
    fn a_word_of_two_styles_is_not_torn() {
        let text = indented(
            2,
            &[
                span(PLAIN, "x".repeat(70)),
                span(PLAIN, " key="),
                span(STRONG, "value".repeat(2)),
            ],
        );
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string().lines().nth(1),
            Some("  key=valuevalue")
        );
    }

    #[test]
    fn a_wide_character_takes_two_columns() {
        let lines = plain(2, &"火锅".repeat(50));
        assert!(lines.iter().all(|line| line.width() <= WIDTH), "{lines:?}");
        assert_eq!(lines[0].width(), WIDTH);
        assert_eq!(lines.concat().replace(' ', ""), "火锅".repeat(50));
    }

    #[test]
    fn a_label_stands_before_the_text() {
        assert_eq!(
            paragraph(&span(PLAIN, "  App"), 8, &[span(PLAIN, "Clock")]),
            "  App   Clock\n"
        );
        assert_eq!(
            paragraph(&span(PLAIN, "  long label"), 6, &[span(PLAIN, "x")]),
            "  long label  x\n"
        );
    }

    #[test]
    fn a_recorded_text_cannot_steer_the_terminal() {
        assert_eq!(
            line(&[span(PLAIN, "a\u{1b}[2Jb\u{9b}c\u{202e}d\ne")]),
            "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d e\n"
        );
    }

    #[test]
    fn styles_end_where_they_began() {
        let text = line(&[span(PLAIN, "a "), span(STRONG, "b c"), span(PLAIN, " d")]);
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), "a b c d\n");
        assert_eq!(text.matches("\u{1b}[0m").count(), 2);
    }

    #[test]
    fn nouns_are_counted() {
        assert_eq!(
            [counted(0, "step"), counted(1, "step"), counted(2, "step")],
            ["0 steps", "1 step", "2 steps"]
        );
    }
}
