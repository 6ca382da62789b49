//! Which typed values are secrets: passwords, PINs, passcodes and one-time codes.
//!
//! A recorder seldom says so itself, but the field does: its id, hint, label or description names it, in one
//! of twelve languages, or its text is masked. In doubt a value is taken as a secret: then a replay asks for
//! it, while the other mistake would store it.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::JsonValue;
use crate::skill::Role;
use crate::timeline::ToolCall;

use super::{Kind, argument_key, fold_key, identifier_words, kind, role};

/// Whether a call types into a field for a password, PIN, passcode or one-time code, as far as the field's
/// id, class, text, hint or description tells, in the target or among the arguments.
///
/// What is typed says nothing: a note about a password is no secret.
pub fn is_secret_field(call: &ToolCall) -> bool {
    match kind(&call.tool) {
        Kind::Input | Kind::Other => {
            selectors(call).iter().any(|text| names_secret(text)) || has_password_flag(call)
        }
        _ => false,
    }
}

/// Marks as sensitive every call that types into a secret field: by what the call itself says of the field,
/// or, when it says nothing, because the field that was tapped just before is one.
pub fn mark_secrets(calls: &mut [ToolCall]) {
    let mut focused = false;
    for call in calls.iter_mut().filter(|call| call.ok) {
        match kind(&call.tool) {
            Kind::Input => call.sensitive |= is_secret_field(call) || (focused && says_no_field(call)),
            Kind::Tap => {
                focused = selectors(call).iter().any(|text| names_secret(text)) || label_names_secret(call)
            }
            Kind::Clear => {}
            kind if kind.is_step() => focused = false,
            _ => {}
        }
    }
}

/// What a call says of the element it acts on, in its target and among its arguments.
fn selectors(call: &ToolCall) -> Vec<&str> {
    let target = call.target.as_ref();
    let in_target = [
        target.and_then(|t| t.resource_id.as_deref()),
        target.and_then(|t| t.class.as_deref()),
        target.and_then(|t| t.text.as_deref()),
        target.and_then(|t| t.content_desc.as_deref()),
    ];
    let mut found: Vec<&str> = in_target.into_iter().flatten().collect();
    each_scalar(&call.arguments, "", &mut |key, value| {
        if is_selector(key) {
            found.extend(value.as_str());
        }
    });
    found
}

fn has_password_flag(call: &ToolCall) -> bool {
    let mut flagged = false;
    each_scalar(&call.arguments, "", &mut |key, value| {
        flagged |= is_password_flag(key) && is_true(value)
    });
    flagged
}

/// The `text` of a tap is the label it hits.
fn label_names_secret(call: &ToolCall) -> bool {
    call.arguments
        .get("text")
        .and_then(JsonValue::as_str)
        .is_some_and(names_secret)
}

/// Whether a call types wherever the cursor is: it has no target, no selector and no position.
fn says_no_field(call: &ToolCall) -> bool {
    let mut says = !selectors(call).is_empty();
    each_scalar(&call.arguments, "", &mut |key, value| {
        says |= role(Kind::Input, key, value) == Role::Position
    });
    !says
}

/// Whether the scalar at a JSON pointer of a call's arguments is a secret that must never be stored.
///
/// It is when its own key names a secret (`password`, `pin`); when the call types into a secret field, or the
/// host marked it sensitive and it types, and it is neither a selector nor a position; and when the host
/// marked a call sensitive that does not type: then all of its text and numbers, for nobody can tell which
/// one gives it away.
pub fn is_secret_value(call: &ToolCall, pointer: &str, value: &JsonValue) -> bool {
    if !(value.is_string() || value.is_number()) {
        return false;
    }
    let key = argument_key(pointer);
    if names_secret(raw_key(pointer))
        && !is_selector(&key)
        && !is_true(value)
        && !is_false(value)
        && !is_reference(&key)
    {
        return true;
    }
    let kind = kind(&call.tool);
    if call.sensitive && !matches!(kind, Kind::Input) {
        return true;
    }
    (call.sensitive || is_secret_field(call))
        && !is_selector(&key)
        && !is_reference(&key)
        && !is_true(value)
        && !is_false(value)
        && role(kind, pointer, value) == Role::Content
}

/// The last part of a pointer that is not an array index, as written.
fn raw_key(pointer: &str) -> &str {
    pointer
        .rsplit('/')
        .find(|part| !part.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or("")
}

/// Folded argument names that say which field, not what is typed into it.
fn is_selector(key: &str) -> bool {
    #[rustfmt::skip]
    const SELECTORS: &[&str] = &[
        "resourceid", "resource", "id", "viewid", "class", "classname", "contentdesc",
        "contentdescription", "desc", "hint", "hinttext", "placeholder", "label", "accessibilityid",
        "accessibilitylabel", "selector", "nodeselector", "xpath", "locate", "locator", "target",
        "element", "elementtext", "package", "packagename", "app", "activity", "device",
    ];
    SELECTORS.contains(&key) || key.starts_with("field")
}

/// `secret_id` and the like name a stored credential, they do not hold it.
fn is_reference(key: &str) -> bool {
    matches!(
        key,
        "secretid" | "secretname" | "secretref" | "credentialid" | "credentialname"
    )
}

/// The attribute of an Android view that says that its text is masked.
fn is_password_flag(key: &str) -> bool {
    matches!(
        key,
        "password" | "ispassword" | "secure" | "issecure" | "securetextentry"
    )
}

fn is_true(value: &JsonValue) -> bool {
    value.as_bool() == Some(true)
        || value
            .as_str()
            .is_some_and(|text| text.eq_ignore_ascii_case("true"))
}

fn is_false(value: &JsonValue) -> bool {
    value.as_bool() == Some(false)
        || value
            .as_str()
            .is_some_and(|text| text.eq_ignore_ascii_case("false"))
}

/// Visits every scalar with its folded key, which is that of the array for an array's elements and empty at
/// the root.
fn each_scalar<'a>(value: &'a JsonValue, key: &str, visit: &mut impl FnMut(&str, &'a JsonValue)) {
    match value {
        JsonValue::Array(items) => items.iter().for_each(|item| each_scalar(item, key, visit)),
        JsonValue::Object(map) => map
            .iter()
            .for_each(|(name, item)| each_scalar(item, &fold_key(name), visit)),
        scalar => visit(key, scalar),
    }
}

/// Whether a label, hint or identifier names a password, PIN, passcode or one-time code, or is masked text.
fn names_secret(text: &str) -> bool {
    static STEMS: LazyLock<Vec<String>> =
        LazyLock::new(|| SECRET_STEMS.iter().map(|stem| fold(stem)).collect());
    static WORDS: LazyLock<Vec<Vec<String>>> =
        LazyLock::new(|| SECRET_WORDS.iter().map(|phrase| words_of(phrase)).collect());
    static INNOCENT: LazyLock<Vec<Vec<String>>> =
        LazyLock::new(|| INNOCENT_PHRASES.iter().map(|phrase| words_of(phrase)).collect());

    if is_masked(text) {
        return true;
    }
    let words = words_of(text);
    let has = |phrase: &Vec<String>| words.windows(phrase.len()).any(|window| window == phrase);
    words
        .iter()
        .any(|word| STEMS.iter().any(|stem| word.contains(stem)))
        || (WORDS.iter().any(has) && !INNOCENT.iter().any(has))
}

/// Dots instead of letters.
fn is_masked(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| matches!(c, '•' | '●' | '∙'))
}

/// The words of a text, folded, without digits at their ends (`password1`, `pin2`).
fn words_of(text: &str) -> Vec<String> {
    identifier_words(&text.nfkc().collect::<String>())
        .iter()
        .map(|word| fold(word).trim_matches(|c: char| c.is_numeric()).to_string())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Compatibility forms, case and accents folded: `Contraseña` and `contrasena` are one word.
fn fold(text: &str) -> String {
    text.nfkd()
        .filter(|c| !is_combining_mark(*c))
        .nfc()
        .flat_map(char::to_lowercase)
        .collect()
}

/// Words long enough to be told inside another one, as in `edittextpassword` or `WLAN-Passworteingabe`, and
/// words of languages that are written without spaces or with endings.
#[rustfmt::skip]
const SECRET_STEMS: &[&str] = &[
    "password", "passwd", "passcode", "passphrase", "pincode",
    "密码", "密碼", "口令", "验证码", "驗證碼", "校验码",
    "contraseña",
    "passwort", "kennwort", "geheimzahl", "sicherheitscode", "bestätigungscode", "einmalcode", "zugangscode",
    "motdepasse",
    "パスワード", "パスコード", "暗証", "認証コード", "確認コード",
    "비밀번호", "패스워드", "암호", "인증번호", "인증코드",
    "पासवर्ड", "कूटशब्द", "ओटीपी",
    "matkhau",
    "парол",
];

/// Words and phrases that must stand on their own: `pin` is not in `spinner`, `pinned` or `shipping`.
#[rustfmt::skip]
const SECRET_WORDS: &[&str] = &[
    "pin", "pwd", "otp", "totp", "cvv", "cvc", "passkey", "security code", "verification code", "one time code",
    "sms code", "2fa code",
    "clave", "código de verificación", "código de seguridad", "código de acceso",
    "mot de passe", "code secret", "code confidentiel", "code de vérification", "code de sécurité",
    "senha", "palavra passe", "código de confirmação", "código de segurança", "código de verificação",
    "핀", "핀 번호", "비밀 번호", "인증 번호",
    "पिन", "सत्यापन कोड",
    "mật khẩu", "mã xác nhận", "mã xác minh", "mã xác thực",
    "пин", "пинкод", "код подтверждения", "код безопасности", "проверочный код",
    "كلمة المرور", "كلمة السر", "كلمة مرور", "رمز المرور", "رمز التحقق", "الرقم السري", "رقم سري",
];

/// Phrases in which such a word means something else: keywords.
const INNOCENT_PHRASES: &[&str] = &["palabra clave", "palabras clave"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Target;
    use serde_json::json;

    fn call(tool: &str, arguments: JsonValue) -> ToolCall {
        ToolCall {
            tool: tool.into(),
            arguments,
            ok: true,
            error: None,
            started_at_ms: None,
            read_only: None,
            sensitive: false,
            target: None,
        }
    }

    #[test]
    #[rustfmt::skip]
    fn a_secret_field_is_told_in_twelve_languages() {
        for hint in [
            "Password", "Enter your PIN", "One-time code", "OTP", "6-digit passcode", "Wi-Fi password",
            "Verification code", "密码", "请输入6位支付密码", "短信验证码", "驗證碼", "Contraseña", "contrasena",
            "Clave de acceso", "Passwort", "WLAN-Kennwort", "Bestätigungscode", "Mot de passe",
            "Code de vérification", "Senha", "Código de verificação", "パスワードを入力", "ﾊﾟｽﾜｰﾄﾞ", "暗証番号",
            "確認コード", "비밀번호", "비밀번호를 입력하세요", "인증번호 6자리", "पासवर्ड दर्ज करें", "पिन", "Mật khẩu", "MẬT KHẨU",
            "Mã xác nhận", "Mã OTP", "Пароль", "Введите пароль", "ПИН-код", "Код подтверждения",
            "كلمة المرور", "أدخل رمز التحقق", "••••••",
        ] {
            assert!(
                is_secret_field(&call("input_text", json!({"text": "x", "hint": hint}))),
                "{hint}"
            );
        }
    }

    #[test]
    #[rustfmt::skip]
    fn a_secret_field_is_told_by_its_identifier() {
        for id in [
            "com.app:id/password", "etPassword", "edit_text_pwd", "new-password-confirm",
            "passwordEditText", "pin_entry", "pinEntry", "PINField", "otp_1", "com.bank:id/input_otp",
            "txtPasswd", "login_cvv2", "matkhau",
        ] {
            assert!(
                is_secret_field(&call("input_text", json!({"text": "x", "resource_id": id}))),
                "{id}"
            );
            let target = Target {
                resource_id: Some(id.into()),
                ..Target::default()
            };
            assert!(
                is_secret_field(&ToolCall {
                    target: Some(target),
                    ..call("type", json!({"text": "x"}))
                }),
                "{id}"
            );
        }
    }

    #[test]
    #[rustfmt::skip]
    fn a_word_inside_another_one_is_no_secret() {
        for label in [
            "pinned", "spinner", "shipping", "Pinterest", "opinion", "Topping", "Shipping address",
            "Email", "Compass", "Passport number", "Passenger", "Palabra clave", "android.widget.Spinner",
            "com.app:id/pinned_note", "Notiz", "", "搜索", "Tìm kiếm", "Поиск", "検索", "options",
        ] {
            assert!(
                !is_secret_field(&call("input_text", json!({"text": "x", "hint": label}))),
                "{label}"
            );
        }
    }

    #[test]
    fn what_is_typed_says_nothing() {
        assert!(!is_secret_field(&call(
            "input_text",
            json!({"text": "my password is on the fridge"})
        )));
        assert!(!is_secret_field(&call("input_text", json!("password"))));
        assert!(
            !is_secret_field(&call("tap", json!({"content_desc": "Password"}))),
            "a tap types nothing"
        );
    }

    #[test]
    fn the_password_attribute_of_a_view_counts() {
        assert!(is_secret_field(&call(
            "send_keys",
            json!({"text": "x", "password": "true"})
        )));
        assert!(is_secret_field(&call(
            "input_text",
            json!({"text": "x", "field": {"is_password": true}})
        )));
        assert!(!is_secret_field(&call(
            "send_keys",
            json!({"text": "x", "password": "false"})
        )));
    }

    #[test]
    fn only_the_typed_value_is_secret() {
        let call = call(
            "input_text",
            json!({"text": "hunter2", "resource_id": "id/password", "x": 3, "clear": true}),
        );
        let secret =
            |pointer: &str| is_secret_value(&call, pointer, call.arguments.pointer(pointer).unwrap());
        assert!(secret("/text"));
        assert!(!secret("/resource_id"));
        assert!(!secret("/x"));
        assert!(!secret("/clear"));
    }

    #[test]
    fn a_recorder_repeats_the_secret_in_its_description() {
        let call = call(
            "input_text",
            json!({"text": "hunter2", "description": "Input text: 'hunter2'", "hint": "Password"}),
        );
        assert!(is_secret_value(
            &call,
            "/description",
            &json!("Input text: 'hunter2'")
        ));
    }

    #[test]
    fn a_key_that_names_a_secret_holds_one() {
        let call = call(
            "log_in",
            json!({"user": "ann", "password": "hunter2", "pin": 1234, "shipping": "fast"}),
        );
        assert!(is_secret_value(&call, "/password", &json!("hunter2")));
        assert!(is_secret_value(&call, "/pin", &json!(1234)));
        assert!(!is_secret_value(&call, "/user", &json!("ann")));
        assert!(!is_secret_value(&call, "/shipping", &json!("fast")));
    }

    #[test]
    fn the_host_has_the_last_word() {
        let typed = ToolCall {
            sensitive: true,
            ..call("input_text", json!({"text": "4711", "index": 3}))
        };
        assert!(is_secret_value(&typed, "/text", &json!("4711")));
        assert!(!is_secret_value(&typed, "/index", &json!(3)));
        let bare = ToolCall {
            sensitive: true,
            ..call("inputText", json!("4711"))
        };
        assert!(is_secret_value(&bare, "", &json!("4711")));
        let tapped = ToolCall {
            sensitive: true,
            ..call("tap", json!({"x": 10, "text": "4"}))
        };
        assert!(
            is_secret_value(&tapped, "/x", &json!(10)),
            "where a keypad is tapped gives the PIN away"
        );
    }

    #[test]
    fn the_name_of_a_stored_credential_is_no_secret() {
        let call = call("type_secret", json!({"secret_id": "MY_PASSWORD", "index": 5}));
        assert!(!is_secret_value(&call, "/secret_id", &json!("MY_PASSWORD")));
    }

    #[test]
    fn the_field_that_was_tapped_gets_the_text() {
        let mark = |calls: &[(&str, JsonValue)]| {
            let mut calls: Vec<ToolCall> = calls
                .iter()
                .map(|(tool, args)| call(tool, args.clone()))
                .collect();
            mark_secrets(&mut calls);
            calls.iter().map(|call| call.sensitive).collect::<Vec<_>>()
        };
        let tap = |text: &str| ("tap", json!({"text": text, "x": 1}));
        let typed = || ("input_text", json!({"text": "hunter2"}));
        let look = || ("screenshot", json!({}));
        assert_eq!(
            mark(&[tap("Password"), look(), typed(), tap("Email"), typed()]),
            [false, false, true, false, false]
        );
        assert_eq!(
            mark(&[tap("Password"), ("input_text", json!("hunter2"))]),
            [false, true]
        );
        assert_eq!(mark(&[tap("Password"), ("back", json!({})), typed()]), [false; 3]);
        assert_eq!(
            mark(&[
                tap("Password"),
                ("input_text", json!({"text": "x", "hint": "Email"}))
            ]),
            [false; 2]
        );
        assert_eq!(
            mark(&[tap("Password"), ("input_text", json!({"text": "x", "index": 4}))]),
            [false; 2]
        );
        assert_eq!(
            mark(&[("input_text", json!({"text": "x", "hint": "PIN"}))]),
            [true]
        );
    }
}
