//! Reading goals: language, values, what is asked for, and what must not meet, in the twelve languages of the lexicon.

// Clippy's exception for tests stops at their helpers.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

use adroit::goal::{self, Goal, MAX_WORDS, fold, mentions, similarity};
use adroit::lexicon::LANGUAGES;
use serde_json::json;

/// Whether two goals ask for different things.
fn contrast(a: &str, b: &str) -> bool {
    let (a, b) = (Goal::read(a).meanings(), Goal::read(b).meanings());
    let contrast = goal::contrast(&a, &b);
    assert_eq!(contrast, goal::contrast(&b, &a), "contrast has no direction");
    contrast
}

/// Collects what is wrong in a whole table, so that one run shows all of it.
fn check(failures: Vec<String>) {
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

#[test]
fn the_language_is_told_by_script_and_by_small_words() {
    check(
        [
            ("en", "Set an alarm for seven in the morning"),
            ("en", "Turn off Wi-Fi"),
            ("en", "Add milk to the list"),
            ("zh", "设置早上七点的闹钟"),
            ("zh", "用微信给小明发消息"),
            ("zh", "打开 Wi-Fi"),
            ("es", "Pon una alarma para las siete de la mañana"),
            ("es", "Borra la nota de ayer"),
            ("de", "Stell einen Wecker für sieben Uhr"),
            ("de", "Lösche die Notiz von gestern"),
            ("fr", "Mets une alarme pour sept heures du matin"),
            ("fr", "Supprime la note d'hier"),
            ("pt", "Coloca um alarme para as sete da manhã"),
            ("pt", "Apaga a nota de ontem que não quero mais"),
            ("ja", "朝七時にアラームをセットして"),
            ("ja", "Wi-Fiをオンにして"),
            ("ko", "아침 일곱 시에 알람 맞춰 줘"),
            ("ko", "Wi-Fi 꺼 줘"),
            ("hi", "सुबह सात बजे का अलार्म लगाओ"),
            ("vi", "Đặt báo thức lúc bảy giờ sáng"),
            ("vi", "Xóa ghi chú của tôi"),
            ("ru", "Поставь будильник на семь утра"),
            ("ru", "Удали заметку"),
            ("ar", "اضبط المنبه على الساعة السابعة صباحا"),
        ]
        .into_iter()
        .filter_map(|(language, text)| {
            let read = Goal::read(text).language;
            (read != language).then(|| format!("{text}: read as {read}, not {language}"))
        })
        .collect(),
    );
}

#[test]
fn values_are_left_out_of_a_goal_s_key() {
    check(
        [
            ("Set an alarm for 7:30", "set an alarm for {}"),
            ("Open https://example.org/a?b=c#d now", "open {} now"),
            ("Write to ann.lee+x@mail.example.org", "write to {}"),
            ("Delete holiday_2024.jpg", "delete {}"),
            ("Follow @some_one", "follow {}"),
            ("Add \"Bread and butter\" to the list", "add {} to the list"),
            ("Add “Bread and butter” to the list", "add {} to the list"),
            ("Add 'Bread and butter' to the list", "add {} to the list"),
            ("Add ‘Bread’ to the list", "add {} to the list"),
            ("Add `Bread` to the list", "add {} to the list"),
            (
                "Füge „Brot und Butter“ zur Liste hinzu",
                "füge {} zur liste hinzu",
            ),
            ("Ajoute « Pain et beurre » à la liste", "ajoute {} à la liste"),
            ("Добавь «Хлеб и масло» в список", "добавь {} в список"),
            ("Pay 12.50 and 3 more", "pay {} and {} more"),
            ("Don't touch Ann's list", "don't touch ann's list"),
            ("Meet on May 9", "meet on {}"),
        ]
        .into_iter()
        .filter_map(|(text, key)| {
            let family = Goal::read(text).family();
            (family != key).then(|| format!("{text}: {family}, not {key}"))
        })
        .collect(),
    );
}

#[test]
fn quotes_of_every_script_hold_a_value() {
    for text in [
        "把「牛奶」加到清单",
        "把『牛奶』加到清单",
        "打开《牛奶》",
        "把“牛奶”加到清单",
    ] {
        let family = Goal::read(text).family();
        assert!(
            family.contains("{}") && !family.contains('牛'),
            "{text}: {family}"
        );
    }
}

#[test]
fn numbers_in_words_and_dates_are_values() {
    check(
        [
            ("en", "Set an alarm for seven", "Set an alarm for eight"),
            ("en", "Remind me on Monday", "Remind me on Friday"),
            ("es", "Pon una alarma a las siete", "Pon una alarma a las ocho"),
            (
                "de",
                "Stell einen Wecker auf sieben Uhr",
                "Stell einen Wecker auf acht Uhr",
            ),
            (
                "fr",
                "Mets une alarme pour sept heures",
                "Mets une alarme pour huit heures",
            ),
            (
                "pt",
                "Coloca um alarme para as sete",
                "Coloca um alarme para as oito",
            ),
            (
                "ru",
                "Поставь будильник на семь утра",
                "Поставь будильник на восемь утра",
            ),
            ("vi", "Đặt báo thức lúc bảy giờ", "Đặt báo thức lúc tám giờ"),
            ("zh", "设置七点的闹钟", "设置八点的闹钟"),
            ("ja", "七時にアラームをセットして", "八時にアラームをセットして"),
            ("hi", "सात बजे का अलार्म लगाओ", "आठ बजे का अलार्म लगाओ"),
            ("ko", "일곱 시에 알람 맞춰 줘", "여덟 시에 알람 맞춰 줘"),
            (
                "ar",
                "اضبط المنبه على الساعة سبعة",
                "اضبط المنبه على الساعة ثمانية",
            ),
        ]
        .into_iter()
        .filter_map(|(language, a, b)| {
            let (a, b) = (Goal::read(a).family(), Goal::read(b).family());
            (a != b).then(|| format!("{language}: {a} / {b}"))
        })
        .collect(),
    );
}

#[test]
fn a_capital_letter_tells_a_name_where_the_language_allows() {
    let frame = |text: &str| {
        let mut goal = Goal::read(text);
        goal.mark_named();
        goal.frame().join(" ")
    };
    assert_eq!(frame("Send a message to Ann Lee"), frame("Send a message to Bob"));
    assert!(!frame("Send a message to Ann Lee").contains("ann"));
    assert!(
        frame("Show every event").contains("event"),
        "the first word's capital says nothing"
    );
    assert!(
        frame("SEND A MESSAGE TO ANN").contains("message"),
        "nor do capitals everywhere"
    );
    assert!(
        frame("Schicke die Nachricht ab").contains("nachricht"),
        "German nouns have one"
    );
}

#[test]
fn what_an_argument_carries_is_a_value() {
    let mut goal = Goal::read("Put bread on the shopping list");
    goal.mark("bread");
    assert_eq!(goal.family(), "put {} on the shopping list");
    let mut goal = Goal::read("Put Fresh Bread on the shopping list");
    goal.mark("  fresh   BREAD! ");
    assert_eq!(
        goal.family(),
        "put {} on the shopping list",
        "case, spaces and signs do not matter"
    );
    let mut goal = Goal::read("Put breadcrumbs on the list");
    goal.mark("bread");
    assert_eq!(
        goal.family(),
        "put breadcrumbs on the list",
        "a part of a word is no word"
    );
    goal.mark("");
    assert_eq!(goal.family(), "put breadcrumbs on the list");
}

#[test]
fn the_app_s_name_is_not_what_is_asked_for() {
    let frame = |app: &str| {
        let mut goal = Goal::read("Search for tea in Firefox");
        goal.mark_app(app);
        goal.frame().join(" ")
    };
    for app in ["Firefox", "org.mozilla.firefox", "org.mozilla.Firefox"] {
        assert!(!frame(app).contains("firefox"), "{app}");
    }
    assert!(frame("com.android.chrome").contains("firefox"));
}

/// Goals of one language: what switches on, off, adds, deletes, and the same with an alarm and with a timer; of each a
/// second wording.
struct Pairs {
    language: &'static str,
    on: [&'static str; 2],
    off: [&'static str; 2],
    add: [&'static str; 2],
    delete: [&'static str; 2],
    alarm: [&'static str; 2],
    timer: [&'static str; 2],
}

const PAIRS: [Pairs; 12] = [
    Pairs {
        language: "en",
        on: ["Turn on Wi-Fi", "Please switch the Wi-Fi on"],
        off: ["Turn off Wi-Fi", "Please switch the Wi-Fi off"],
        add: ["Add a note about the meeting", "Create a note about the meeting"],
        delete: [
            "Delete the note about the meeting",
            "Please remove the note about the meeting",
        ],
        alarm: ["Set an alarm for 7", "Create an alarm at 8"],
        timer: ["Set a timer for 7 minutes", "Create a timer of 8 minutes"],
    },
    Pairs {
        language: "zh",
        on: ["打开蓝牙", "请开启蓝牙"],
        off: ["关闭蓝牙", "请把蓝牙关掉"],
        add: ["添加一条会议笔记", "新建一条会议笔记"],
        delete: ["删除会议笔记", "把会议笔记删掉"],
        alarm: ["设置一个7点的闹钟", "新建一个8点的闹钟"],
        timer: ["设置一个7分钟的计时器", "新建一个8分钟的倒计时"],
    },
    Pairs {
        language: "es",
        on: ["Activa el bluetooth", "Enciende el bluetooth, por favor"],
        off: ["Desactiva el bluetooth", "Apaga el bluetooth, por favor"],
        add: [
            "Añade una nota sobre la reunión",
            "Crea una nota sobre la reunión",
        ],
        delete: [
            "Borra la nota sobre la reunión",
            "Elimina la nota sobre la reunión",
        ],
        alarm: ["Pon una alarma a las 7", "Crea una alarma a las 8"],
        timer: [
            "Pon un temporizador de 7 minutos",
            "Crea un temporizador de 8 minutos",
        ],
    },
    Pairs {
        language: "de",
        on: ["Schalte Bluetooth ein", "Bitte mach das Bluetooth an"],
        off: ["Schalte Bluetooth aus", "Bitte mach das Bluetooth aus"],
        add: [
            "Erstelle eine Notiz zur Besprechung",
            "Füge eine Notiz zur Besprechung hinzu",
        ],
        delete: [
            "Lösche die Notiz zur Besprechung",
            "Bitte entferne die Notiz zur Besprechung",
        ],
        alarm: [
            "Stell einen Wecker auf 7 Uhr",
            "Stelle bitte einen Wecker für 8 Uhr",
        ],
        timer: [
            "Stell einen Timer auf 7 Minuten",
            "Stelle bitte einen Timer auf 8 Minuten",
        ],
    },
    Pairs {
        language: "fr",
        on: ["Active le Bluetooth", "Allume le Bluetooth, s'il te plaît"],
        off: ["Désactive le Bluetooth", "Éteins le Bluetooth, s'il te plaît"],
        add: ["Ajoute une note sur la réunion", "Crée une note sur la réunion"],
        delete: ["Supprime la note sur la réunion", "Efface la note sur la réunion"],
        alarm: ["Mets une alarme à 7 h", "Crée une alarme pour 8 h"],
        timer: ["Mets un minuteur de 7 minutes", "Crée un minuteur de 8 minutes"],
    },
    Pairs {
        language: "pt",
        on: ["Ativa o Bluetooth", "Liga o Bluetooth, por favor"],
        off: ["Desativa o Bluetooth", "Desliga o Bluetooth, por favor"],
        add: [
            "Adiciona uma nota sobre a reunião",
            "Cria uma nota sobre a reunião",
        ],
        delete: ["Exclui a nota sobre a reunião", "Apaga a nota sobre a reunião"],
        alarm: ["Coloca um alarme para as 7", "Cria um alarme para as 8"],
        timer: [
            "Coloca um temporizador de 7 minutos",
            "Cria um temporizador de 8 minutos",
        ],
    },
    Pairs {
        language: "ja",
        on: ["Bluetoothをオンにして", "Bluetoothを有効にしてください"],
        off: ["Bluetoothをオフにして", "Bluetoothを無効にしてください"],
        add: ["会議のメモを作成して", "会議のメモを追加してください"],
        delete: ["会議のメモを削除して", "会議のメモを消してください"],
        alarm: ["7時にアラームをセットして", "8時のアラームを設定してください"],
        timer: ["7分のタイマーをセットして", "8分のタイマーを設定してください"],
    },
    Pairs {
        language: "ko",
        on: ["블루투스 켜 줘", "블루투스를 켜주세요"],
        off: ["블루투스 꺼 줘", "블루투스를 꺼주세요"],
        add: ["회의 메모를 추가해 줘", "회의 메모를 만들어 주세요"],
        delete: ["회의 메모를 삭제해 줘", "회의 메모를 지워 주세요"],
        alarm: ["7시에 알람 맞춰 줘", "8시 알람을 설정해 주세요"],
        timer: ["7분 타이머 맞춰 줘", "8분 타이머를 설정해 주세요"],
    },
    Pairs {
        language: "hi",
        on: ["ब्लूटूथ चालू करो", "कृपया ब्लूटूथ ऑन कर दो"],
        off: ["ब्लूटूथ बंद करो", "कृपया ब्लूटूथ ऑफ कर दो"],
        add: ["बैठक का नोट जोड़ो", "बैठक का नोट बनाओ"],
        delete: ["बैठक का नोट हटाओ", "बैठक का नोट मिटा दो"],
        alarm: ["7 बजे का अलार्म लगाओ", "8 बजे का अलार्म सेट करो"],
        timer: ["7 मिनट का टाइमर लगाओ", "8 मिनट का टाइमर सेट करो"],
    },
    Pairs {
        language: "vi",
        on: ["Bật Bluetooth", "Hãy bật Bluetooth lên giúp tôi"],
        off: ["Tắt Bluetooth", "Hãy tắt Bluetooth đi giúp tôi"],
        add: ["Thêm ghi chú về cuộc họp", "Tạo ghi chú về cuộc họp"],
        delete: ["Xóa ghi chú về cuộc họp", "Hãy xoá ghi chú về cuộc họp"],
        alarm: ["Đặt báo thức lúc 7 giờ", "Tạo báo thức lúc 8 giờ"],
        timer: ["Đặt bộ đếm giờ 7 phút", "Tạo bộ hẹn giờ 8 phút"],
    },
    Pairs {
        language: "ru",
        on: ["Включи блютуз", "Пожалуйста, включите блютуз"],
        off: ["Выключи блютуз", "Пожалуйста, отключите блютуз"],
        add: ["Добавь заметку о встрече", "Создай заметку о встрече"],
        delete: ["Удали заметку о встрече", "Сотри заметку о встрече"],
        alarm: ["Поставь будильник на 7", "Поставьте, пожалуйста, будильник на 8"],
        timer: [
            "Поставь таймер на 7 минут",
            "Поставьте, пожалуйста, таймер на 8 минут",
        ],
    },
    Pairs {
        language: "ar",
        on: ["شغل البلوتوث", "من فضلك فعّل البلوتوث"],
        off: ["أوقف البلوتوث", "من فضلك أطفئ البلوتوث"],
        add: ["أضف ملاحظة عن الاجتماع", "أنشئ ملاحظة عن الاجتماع"],
        delete: ["احذف الملاحظة عن الاجتماع", "امسح الملاحظة عن الاجتماع"],
        alarm: ["اضبط المنبه على الساعة 7", "من فضلك اضبط منبها على الساعة 8"],
        timer: ["اضبط المؤقت على 7 دقائق", "من فضلك اضبط مؤقتا على 8 دقائق"],
    },
];

/// The pairs of goals that one choice makes of a table and that are judged otherwise than expected.
fn judged_wrongly(
    expected: bool,
    choose: impl Fn(&Pairs) -> Vec<([&'static str; 2], [&'static str; 2])>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for pairs in &PAIRS {
        for (ones, others) in choose(pairs) {
            for one in ones {
                for other in others {
                    if contrast(one, other) != expected {
                        wrong.push(format!("{}: {one} / {other}", pairs.language));
                    }
                }
            }
        }
    }
    wrong
}

#[test]
fn on_and_off_never_meet_in_any_language() {
    check(judged_wrongly(true, |pairs| vec![(pairs.on, pairs.off)]));
}

#[test]
fn adding_and_deleting_never_meet_in_any_language() {
    check(judged_wrongly(true, |pairs| vec![(pairs.add, pairs.delete)]));
}

#[test]
fn an_alarm_and_a_timer_never_meet_in_any_language() {
    check(judged_wrongly(true, |pairs| vec![(pairs.alarm, pairs.timer)]));
}

#[test]
fn two_wordings_of_one_request_may_meet_in_every_language() {
    check(judged_wrongly(false, |pairs| {
        let goals = [
            pairs.on,
            pairs.off,
            pairs.add,
            pairs.delete,
            pairs.alarm,
            pairs.timer,
        ];
        goals.map(|goal| (goal, goal)).to_vec()
    }));
}

#[test]
fn every_language_has_its_pairs() {
    let tested: Vec<&str> = PAIRS.iter().map(|pairs| pairs.language).collect();
    assert_eq!(tested, LANGUAGES);
}

#[test]
fn other_actions_never_meet() {
    check(
        [
            ("Send a message to Ann", "Reply to the message from Ann"),
            ("Start the stopwatch", "Pause the stopwatch"),
            ("Like the video", "Dislike the video"),
            ("Install the app", "Uninstall the app"),
            ("Archive the email", "Delete the email"),
            ("Delete the note", "Delete all notes"),
            ("Delete the newest note", "Delete the oldest note"),
            ("Rename the file", "Move the file"),
            ("Call Ann", "Text Ann"),
            ("Increase the brightness", "Decrease the brightness"),
            (
                "Take a photo with the front camera",
                "Take a photo with the rear camera",
            ),
        ]
        .into_iter()
        .filter(|(a, b)| !contrast(a, b))
        .map(|(a, b)| format!("{a} / {b}"))
        .collect(),
    );
}

#[test]
fn words_inside_a_quoted_text_ask_for_nothing() {
    assert!(!contrast(
        "Add \"delete old files\" to my tasks",
        "Add \"buy milk\" to my tasks"
    ));
    assert!(!contrast(
        "Write the note \"turn off the oven\"",
        "Write the note \"turn on the oven\""
    ));
}

#[test]
fn similarity_is_one_for_the_same_words_and_falls_with_others() {
    let of = |a: &str, b: &str| similarity(&Goal::read(a).features(), &Goal::read(b).features());
    let alarm = "Set an alarm for 7:30";
    assert_eq!(of(alarm, "Set an alarm for 6:15"), 1.0);
    assert_eq!(of(alarm, "Order a pizza"), 0.0);
    let near = of(alarm, "Set an alarm for 6:15 with vibration");
    assert!(0.5 < near && near < 1.0, "{near}");
    assert_eq!(of("", ""), 0.0);
    assert_eq!(of(alarm, ""), 0.0);
}

#[test]
fn folding_levels_spelling_and_nothing_else() {
    for (a, b) in [
        ("Wi-Fi ON!", "wi fi on"),
        ("ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("it’s", "it's"),
        ("  many \n spaces\u{A0}here ", "many spaces here"),
        ("ещё", "еще"),
        ("cafe\u{301}", "café"),
        ("مُنَبِّه", "منبه"),
    ] {
        assert_eq!(fold(a), fold(b), "{a:?} {b:?}");
    }
    assert_ne!(fold("café"), fold("cafe"), "an accent may tell two words apart");
    assert_ne!(fold("année"), fold("anne"));
    for text in [
        "Set an alarm for 7:30",
        "设置七点的闹钟",
        "Đặt báo thức",
        "ann@b.org",
        "",
    ] {
        assert_eq!(
            fold(&fold(text)),
            fold(text),
            "folding twice is folding once: {text}"
        );
    }
}

#[test]
fn a_value_is_mentioned_as_whole_words() {
    let goal = "Set an alarm for 7:30 called Early Bird";
    assert!(mentions(goal, &json!("early bird")));
    assert!(mentions(goal, &json!("7:30")));
    assert!(!mentions(goal, &json!("bird early")));
    assert!(!mentions(goal, &json!("earl")));
    assert!(!mentions(goal, &json!("")));
    assert!(!mentions(goal, &json!(null)) && !mentions(goal, &json!(true)) && !mentions(goal, &json!([7])));
    assert!(mentions("Set the timer to 25 minutes", &json!(25)));
    assert!(!mentions("Set the timer to 255 minutes", &json!(25)));
    assert!(
        mentions("Set the timer to 25 minutes", &json!(25.0)),
        "numbers are the same however they are written"
    );
    assert!(mentions("设置七点的闹钟", &json!("闹钟")));
}

#[test]
fn no_text_is_too_odd_to_read() {
    let long = "word ".repeat(MAX_WORDS * 3);
    for text in [
        "",
        " ",
        "???",
        "⏰",
        "\"",
        "\"\"",
        "“never closed",
        "'",
        "@",
        "a@",
        "{}",
        "{{}}",
        "\u{0}",
        "\u{202E}abc",
        "👩‍👩‍👧‍👦",
        "e\u{301}\u{301}\u{301}",
        "ال",
        "…",
        &"\u{301}".repeat(100),
        &"\"a".repeat(500),
        &long,
    ] {
        let mut goal = Goal::read(text);
        goal.mark(text);
        goal.mark_label(text);
        goal.mark_app(text);
        goal.mark_named();
        assert!(
            goal.family().len() <= text.len().max(2) + 2 * MAX_WORDS,
            "{text:?}"
        );
        assert!(!contrast(text, text), "{text:?}");
    }
    assert_eq!(Goal::read(&long).frame().len(), MAX_WORDS);
}

#[test]
fn an_endless_text_is_read_to_its_limit() {
    // Opened quotes that nothing closes make a reader look for their end again and again.
    for text in [
        "“".repeat(1 << 20),
        "a \"".repeat(1 << 20),
        "很长".repeat(1 << 20),
    ] {
        let mut goal = Goal::read(&text);
        goal.mark(&text);
        goal.mark_label(&text);
        assert!(goal.frame().len() <= MAX_WORDS);
    }
    let long = "word ".repeat(1 << 16);
    assert!(goal::same(&long, &format!(" {long}")));
    assert!(
        !goal::same(&long, &format!("{long} more")),
        "a difference behind the limit is one"
    );
}

// -------------------------------------------------------------------------------------------- the table

/// Kind and concept of a block, with its patterns by language.
type Blocks = Vec<(String, BTreeMap<&'static str, Vec<&'static str>>)>;

fn blocks() -> Blocks {
    let table = include_str!("../src/lexicon.txt");
    let mut blocks: Blocks = Vec::new();
    for (number, line) in (1..).zip(table.lines()) {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        match line.strip_prefix("  ") {
            Some(entry) => {
                let (language, patterns) = entry
                    .split_once(": ")
                    .unwrap_or_else(|| panic!("line {number} has no language: {line}"));
                let block = &mut blocks.last_mut().unwrap().1;
                let known = block.insert(language, patterns.split(", ").collect());
                assert!(
                    known.is_none(),
                    "line {number}: {language} stands twice in a block"
                );
            }
            None => blocks.push((line.to_owned(), BTreeMap::new())),
        }
    }
    blocks
}

#[test]
fn every_block_names_a_kind_and_a_concept_once() {
    let kinds = ["action", "light", "quality", "thing", "filler", "month", "number"];
    let mut seen = BTreeSet::new();
    for (head, _) in blocks() {
        let (kind, concept) = head
            .split_once(' ')
            .unwrap_or_else(|| panic!("no concept: {head}"));
        assert!(kinds.contains(&kind), "{head}");
        let plain = |c: char| c.is_ascii_lowercase() || c == '_';
        assert!(!concept.is_empty() && concept.chars().all(plain), "{head}");
        assert!(seen.insert(head.clone()), "{head} stands twice");
    }
    assert!(seen.len() > 100);
}

#[test]
fn every_block_speaks_all_twelve_languages() {
    let languages: BTreeSet<&str> = LANGUAGES.into();
    for (head, patterns) in blocks() {
        let spoken: BTreeSet<&str> = patterns.keys().copied().collect();
        assert_eq!(spoken, languages, "{head}");
    }
}

#[test]
fn every_pattern_is_well_formed_and_stands_once_in_its_line() {
    let mut wrong = Vec::new();
    for (head, languages) in blocks() {
        for (language, patterns) in languages {
            let mut seen = BTreeSet::new();
            for pattern in patterns {
                let at = format!("{head}, {language}: {pattern:?}");
                let body = pattern.strip_prefix('^').unwrap_or(pattern);
                let body = body.strip_suffix('$').unwrap_or(body);
                if !seen.insert(pattern) {
                    wrong.push(format!("{at} stands twice"));
                }
                if pattern != pattern.trim() || pattern.contains("  ") || goal::words(body).is_empty() {
                    wrong.push(format!("{at} is blank or badly spaced"));
                }
                if pattern.ends_with(',') || body.contains(['^', '$', ':', ';']) {
                    wrong.push(format!("{at} has a sign out of place"));
                }
                if body
                    .split(['~', ' '])
                    .any(|word| word.trim_end_matches('*').contains('*'))
                {
                    wrong.push(format!("{at} has a star inside a word"));
                }
                if body.split('~').count() > 2 {
                    wrong.push(format!("{at} has two particles"));
                }
                if body.to_lowercase() != body {
                    wrong.push(format!("{at} is not in lower case"));
                }
            }
        }
    }
    check(wrong);
}
