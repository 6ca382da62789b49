//! Which number tokens survive being read: what is kept must have the decimal value that was written.

/// Whether a JSON number token keeps its value. Whole numbers that fit in 64 bits do; anything else is kept
/// as the nearest IEEE 754 double, and its shortest decimal form must be the value that was written. So
/// `0.10` and `1e5` survive, while `1e400`, `1e-400` and `0.1234567890123456789012` do not.
pub(super) fn survives(token: &str) -> bool {
    if token.parse::<u64>().is_ok() || token.parse::<i64>().is_ok() {
        return true;
    }
    // Compared in the form it would be written again: of two shortest forms, libraries choose differently.
    let kept = token.parse().ok().and_then(serde_json::Number::from_f64);
    kept.is_some_and(|kept| Decimal::of(token) == Decimal::of(&kept.to_string()))
}

/// The value of a decimal number without its sign: digits without zeros at either end, times a power of ten.
#[derive(PartialEq, Eq)]
struct Decimal {
    digits: Vec<u8>,
    exponent: i128,
}

impl Decimal {
    fn of(token: &str) -> Self {
        let unsigned = token.trim_start_matches('-');
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole
            .bytes()
            .chain(fraction.bytes())
            .skip_while(|digit| *digit == b'0')
            .collect();
        let trailing = digits.iter().rev().take_while(|digit| **digit == b'0').count();
        let digits = digits[..digits.len() - trailing].to_vec();
        if digits.is_empty() {
            return Self { digits, exponent: 0 };
        }
        // An exponent that no machine could hold is far outside of every double: any huge number does for it.
        let huge = if exponent.starts_with('-') {
            i64::MIN
        } else {
            i64::MAX
        };
        let exponent = i128::from(exponent.parse::<i64>().unwrap_or(huge));
        Self {
            digits,
            exponent: exponent - fraction.len() as i128 + trailing as i128,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::survives;

    #[test]
    fn only_the_value_counts_not_how_it_is_written() {
        for token in [
            "0",
            "-0",
            "-0.0",
            "0e999999999999999999999",
            "1e5",
            "1E+5",
            "1.0",
            "0.1",
            "0.10",
            "100e-2",
            "18446744073709551615",
            "-9223372036854775808",
            "100000000000000000000",
            "1.7976931348623157e308",
            "5e-324",
            "123456789.125",
            "-1512005204494206.2",
        ] {
            assert!(survives(token), "{token}");
        }
        for token in [
            "1e400",
            "-1e400",
            "1e-400",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "0.1234567890123456789012",
            "18446744073709551616",
            "-9223372036854775809",
            "9007199254740993.0",
            "4.9406564584124654e-324",
        ] {
            assert!(!survives(token), "{token}");
        }
    }
}
