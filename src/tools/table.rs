//! The table of known tools. Names stand as their recorders write them, each once; they are folded when it is
//! first used.
//!
//! Sources: the tool definitions of Mobilerun (formerly DroidRun) and its MCP server, mobile-mcp,
//! AndroidWorld's JSON actions, AppAgent, Open-AutoGLM, GELab-Zero, Maestro, Midscene, UI-TARS, Mobile-Agent,
//! Android in the Zoo, DroidBot, and the event names of Sphinx, MobileGPT and CraftDroid recordings.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Kind;

/// The kind of a folded name: its words in lower case, joined.
pub(super) fn lookup(folded: &str) -> Option<Kind> {
    static KINDS: LazyLock<HashMap<String, Kind>> = LazyLock::new(|| {
        TABLE
            .iter()
            .flat_map(|(kind, _, names)| names.iter().map(|name| (super::name_words(name).concat(), *kind)))
            .collect()
    });
    KINDS.get(folded).copied()
}

/// Kind, recorders that use the names, names.
#[rustfmt::skip]
const TABLE: &[(Kind, &str, &[&str])] = &[
    // Steps.
    (Kind::Launch, "common", &["launch_app", "open_app", "start_app", "launch", "open", "start"]),
    (Kind::Launch, "mobilerun", &["open_bundle_id"]),
    (Kind::Launch, "gelab-zero", &["AWAKE"]),
    (Kind::Launch, "others", &["activate_app", "run_app", "start_activity", "launch_package", "app_start"]),

    (Kind::Tap, "common", &["tap", "click", "double_tap", "double_click", "touch"]),
    (Kind::Tap, "mobilerun", &["click_at", "click_area", "tap_by_index", "tap_by_coordinates", "tap_at"]),
    (Kind::Tap, "mobile-mcp", &["mobile_click_on_screen_at_coordinates", "mobile_double_tap_on_screen"]),
    (Kind::Tap, "maestro", &["tapOn", "doubleTapOn", "tapOnPoint", "tapOnElementBySelector"]),
    (Kind::Tap, "aitz", &["DUAL_POINT"]),
    (Kind::Tap, "others", &["tap_element", "click_element", "left_click", "right_click", "check", "uncheck"]),

    (Kind::LongPress, "common", &["long_press", "long_click", "long_tap", "press_and_hold"]),
    (Kind::LongPress, "mobilerun", &["long_press_at"]),
    (Kind::LongPress, "mobile-mcp", &["mobile_long_press_on_screen_at_coordinates"]),
    (Kind::LongPress, "maestro", &["longPressOn"]),
    (Kind::LongPress, "others", &["AndroidLongPress", "long_touch"]),

    (Kind::Input, "common", &["input_text", "type", "type_text", "input", "set_text", "enter_text",
        "set_value", "fill"]),
    (Kind::Input, "mobilerun", &["type_text_direct", "type_secret", "keyboard_write"]),
    (Kind::Input, "mobile-mcp", &["mobile_type_keys"]),
    (Kind::Input, "appagent", &["text"]),
    (Kind::Input, "autoglm", &["Type_Name"]),
    (Kind::Input, "maestro", &["inputRandomText", "inputRandomNumber", "inputRandomEmail",
        "inputRandomPersonName"]),
    (Kind::Input, "craftdroid", &["send_keys", "send_keys_and_enter", "send_keys_and_hide_keyboard",
        "clear_and_send_keys", "clear_and_send_keys_and_hide_keyboard"]),

    (Kind::Clear, "common", &["clear_text", "clear", "clear_input", "erase_text", "clear_field"]),
    (Kind::Clear, "mobilerun", &["keyboard_clear"]),

    (Kind::Key, "common", &["press_key", "key_press", "keyevent", "key", "hotkey", "enter", "press_enter"]),
    (Kind::Key, "mobilerun, mobile-mcp", &["press_button", "button_press", "system_button", "keyboard_key",
        "global_action"]),
    (Kind::Key, "android world", &["keyboard_enter"]),
    (Kind::Key, "others", &["keyboard_press", "hide_keyboard", "KEY_ENTER"]),

    (Kind::Swipe, "common", &["swipe", "drag", "slide", "fling", "drag_and_drop", "swipe_coordinates"]),
    (Kind::Swipe, "mobile-mcp", &["mobile_swipe_on_screen"]),
    (Kind::Swipe, "others", &["swipe_left", "swipe_right", "swipe_up", "swipe_down", "swipe_element",
        "AndroidPull"]),

    (Kind::Scroll, "common", &["scroll", "scroll_up", "scroll_down", "scroll_left", "scroll_right",
        "scroll_to"]),
    (Kind::Scroll, "maestro", &["scrollUntilVisible"]),
    (Kind::Scroll, "mobile-agent", &["page_down", "page_up"]),

    (Kind::Navigate, "common", &["back", "home", "go_back", "go_home", "press_back", "press_home",
        "recent_apps", "recents"]),
    (Kind::Navigate, "android world", &["navigate_back", "navigate_home"]),
    (Kind::Navigate, "maestro", &["action"]),
    (Kind::Navigate, "others", &["KEY_BACK", "KEY_HOME", "AndroidBackButton", "AndroidHomeButton",
        "AndroidRecentAppsButton", "app_switch"]),

    (Kind::OpenLink, "common", &["open_link", "open_url", "open_deeplink", "deep_link", "goto_url"]),

    (Kind::Stop, "common", &["stop_app", "close_app", "kill_app", "terminate_app", "force_stop",
        "force_stop_app"]),

    // Not steps.
    (Kind::Observe, "common", &["describe_screen", "screenshot", "take_screenshot", "ui_tree", "get_ui_tree",
        "dump_ui", "get_screen", "read_screen", "observe", "observe_screen", "find_element", "find_elements",
        "get_text", "ocr", "get_clipboard", "get_current_app", "current_app", "get_notifications"]),
    (Kind::Observe, "mobilerun", &["get_state", "get_ui_state", "get_clickables", "get_phone_state",
        "list_apps", "list_packages", "get_date", "remember", "get_memory", "list_devices"]),
    (Kind::Observe, "mobile-mcp", &["mobile_list_elements_on_screen", "mobile_save_screenshot",
        "mobile_list_available_devices", "mobile_use_device", "mobile_use_default_device",
        "mobile_get_screen_size", "mobile_get_orientation", "mobile_list_crashes", "mobile_get_crash",
        "mobile_start_screen_recording", "mobile_stop_screen_recording", "mobile_start_recording",
        "mobile_stop_recording"]),
    (Kind::Observe, "maestro", &["assertVisible", "assertNotVisible", "assertTrue", "assertScreenshot",
        "assertVisibleBySelector", "assertNotVisibleBySelector", "assertVisibleWithText",
        "assertNotVisibleWithText", "assertNoDefectsWithAI", "assertWithAI", "copyTextFrom",
        "extractTextWithAI", "findMatches"]),
    (Kind::Observe, "midscene", &["Print_Assert_Result", "aiAssert", "aiQuery", "aiLocate"]),
    (Kind::Observe, "autoglm", &["Note", "Call_API"]),
    (Kind::Observe, "appagent", &["grid"]),
    (Kind::Observe, "gelab-zero", &["INFO"]),

    (Kind::Wait, "common", &["wait", "sleep", "pause", "idle", "noop", "none", "wait_for", "wait_until",
        "wait_for_idle"]),
    (Kind::Wait, "maestro", &["waitForAnimationToEnd", "extendedWaitUntil"]),
    (Kind::Wait, "autoglm", &["Take_over", "Interact"]),
    (Kind::Wait, "ui-tars", &["call_user"]),
    (Kind::Wait, "craftdroid", &["wait_until_element_presence", "wait_until_text_presence",
        "wait_until_text_invisible", "EMPTY_EVENT"]),

    (Kind::Finish, "common", &["finish", "finished", "done", "complete", "stop", "exit", "terminate",
        "end_task"]),
    (Kind::Finish, "android world", &["status", "answer"]),
    (Kind::Finish, "gelab-zero", &["ABORT"]),
    (Kind::Finish, "aitz", &["STATUS_TASK_COMPLETE", "STATUS_TASK_IMPOSSIBLE"]),

    (Kind::Control, "maestro", &["runFlow", "runScript", "evalScript", "retry", "repeat"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_twice() {
        let mut seen = HashMap::new();
        for (kind, _, names) in TABLE {
            for name in *names {
                let folded = crate::tools::name_words(name).concat();
                assert!(!folded.is_empty(), "{name}");
                assert_eq!(seen.insert(folded, kind), None, "{name}");
            }
        }
    }
}
