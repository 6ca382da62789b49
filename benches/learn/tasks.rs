//! Made-up tasks: as many kinds as are wanted, each told apart by what is asked for or by its app, each executed as
//! often as is wanted with other values.

use adroit::timeline::{Status, Timeline, ToolCall};
use serde_json::{Value, json};

/// One execution of a kind of task. Kinds differ in verb, thing or app; executions of a kind in the person and in
/// where things stand on the screen.
pub fn timeline(kind: u32, execution: u32) -> Timeline {
    let pairs = (VERBS.len() * THINGS.len()) as u32;
    let verb = pick(&VERBS, u64::from(kind));
    let thing = pick(&THINGS, u64::from(kind) / VERBS.len() as u64);
    // Every round over the pairs is in apps that the pair has not been in.
    let app = (kind * 7 + kind / pairs * 29) % APPS;
    let person = {
        let chance = chance(kind, 1_000 + execution);
        format!("{} {}", pick(&FIRST, chance), pick(&LAST, chance >> 16))
    };
    let ending = pick(&ENDINGS, chance(kind, 1)).replace("NAME", &person);
    Timeline {
        task_id: format!("task-{kind}-{execution}"),
        goal: format!("{verb} the {thing} {ending}"),
        status: Status::Succeeded,
        app: Some(package(app)),
        goal_family: None,
        skill_id: None,
        screen: None,
        calls: calls(kind, execution, app, &person),
    }
}

/// A task of a kind and an app that no other has.
pub fn unlike_any() -> Timeline {
    Timeline {
        task_id: "unlike-any".to_owned(),
        goal: "Play some jazz".to_owned(),
        app: Some("org.radio".to_owned()),
        calls: vec![call("media_play", json!({"genre": "jazz"}))],
        ..timeline(0, 0)
    }
}

const APPS: u32 = 400;

fn package(app: u32) -> String {
    let app = app as usize;
    format!(
        "com.{}.{}",
        MAKERS[app / PRODUCTS.len()],
        PRODUCTS[app % PRODUCTS.len()]
    )
}

/// The app is opened, then comes one of a few hundred orders of steps, the short ones more often.
fn calls(kind: u32, execution: u32, app: u32, person: &str) -> Vec<ToolCall> {
    let order = {
        let spread = chance(kind, 2) % 400;
        (spread * spread / 400) as u32
    };
    let steps = 2 + order / 50;
    // No argument of the goal's, so that it tells kinds of one app apart.
    let feature = format!("{}:id/feature_{kind}", package(app));
    let mut calls = vec![
        call("launch_app", json!({"package": package(app)})),
        call("tap", json!({"resource_id": feature})),
    ];
    for step in 0..steps {
        // Which tools an order has depends on nothing else.
        let drawn = chance(order, step) % 10;
        // What stays where it is in every execution, and what moves.
        let place = |moving: u32| {
            let chance = chance(kind, 10_000 + step * 100 + moving);
            (chance % 1080, (chance >> 16) % 2340)
        };
        let (x, y) = place(0);
        calls.push(match drawn {
            0 | 1 => call("input_text", json!({"text": person})),
            2 => call("swipe", json!({"direction": "up"})),
            3 => {
                let (x, y) = place(execution);
                call(
                    "tap",
                    json!({"text": person, "class": "android.widget.TextView", "x": x, "y": y}),
                )
            }
            4 => call("press_key", json!({"key": "enter"})),
            5 => call("tap", json!({"text": "Continue", "x": x, "y": y})),
            _ => call(
                "tap",
                json!({"resource_id": format!("{}:id/view_{step}", package(app)), "x": x, "y": y}),
            ),
        });
    }
    // A text that no goal holds: without it, tasks that type nothing but what they ask for soon are one task.
    calls.push(call("input_text", json!({"text": "checked"})));
    calls
}

fn call(tool: &str, arguments: Value) -> ToolCall {
    ToolCall {
        tool: tool.to_owned(),
        arguments,
        ok: true,
        error: None,
        started_at_ms: None,
        read_only: None,
        sensitive: false,
        target: None,
    }
}

fn pick<'a>(words: &[&'a str], chance: u64) -> &'a str {
    words[chance as usize % words.len()]
}

/// Evenly spread bits, the same in every run. Mixer: splitmix64 (Steele, Lea, Flood 2014).
fn chance(kind: u32, what: u32) -> u64 {
    let mut bits = (u64::from(kind) << 32 | u64::from(what)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

const VERBS: [&str; 60] = [
    "Add",
    "Archive",
    "Attach",
    "Book",
    "Call about",
    "Cancel",
    "Check",
    "Close",
    "Compare",
    "Confirm",
    "Copy",
    "Crop",
    "Decline",
    "Delete",
    "Download",
    "Duplicate",
    "Edit",
    "Export",
    "Favourite",
    "File",
    "Filter",
    "Flag",
    "Follow",
    "Forward",
    "Hide",
    "Highlight",
    "Import",
    "Label",
    "Lock",
    "Merge",
    "Mirror",
    "Move",
    "Mute",
    "Open",
    "Order",
    "Pause",
    "Pay",
    "Pin",
    "Postpone",
    "Print",
    "Publish",
    "Rate",
    "Record",
    "Rename",
    "Reply to",
    "Report",
    "Resize",
    "Restore",
    "Rotate",
    "Scan",
    "Send",
    "Share",
    "Sort",
    "Split",
    "Subscribe to",
    "Tag",
    "Translate",
    "Upload",
    "Verify",
    "Zoom",
];

const THINGS: [&str; 120] = [
    "account",
    "address",
    "agenda",
    "album",
    "alert",
    "annotation",
    "appointment",
    "article",
    "atlas",
    "attachment",
    "badge",
    "balance",
    "banner",
    "barcode",
    "basket",
    "bill",
    "blueprint",
    "board",
    "bookmark",
    "booking",
    "brochure",
    "budget",
    "bundle",
    "bus ticket",
    "campaign",
    "card",
    "catalogue",
    "certificate",
    "channel",
    "chapter",
    "chart",
    "checklist",
    "claim",
    "clip",
    "collage",
    "collection",
    "comment",
    "contract",
    "coupon",
    "course",
    "crossword",
    "dashboard",
    "deadline",
    "delivery",
    "diagram",
    "diary",
    "discount",
    "document",
    "donation",
    "draft",
    "drawing",
    "episode",
    "estimate",
    "exam",
    "exhibit",
    "expense",
    "feed",
    "festival",
    "flight",
    "form",
    "gallery",
    "game",
    "gift",
    "grade",
    "guide",
    "habit",
    "handbook",
    "homework",
    "hotel",
    "invitation",
    "invoice",
    "itinerary",
    "journal",
    "journey",
    "keepsake",
    "kit",
    "lecture",
    "lesson",
    "letter",
    "licence",
    "list",
    "locker",
    "map",
    "meal",
    "medal",
    "meeting",
    "memo",
    "menu",
    "mosaic",
    "newsletter",
    "note",
    "offer",
    "order form",
    "parcel",
    "passport",
    "payment",
    "petition",
    "photo",
    "playlist",
    "podcast",
    "poem",
    "policy",
    "portrait",
    "poster",
    "prescription",
    "profile",
    "puzzle",
    "quote",
    "receipt",
    "recipe",
    "refund",
    "report card",
    "review",
    "route",
    "schedule",
    "sketch",
    "survey",
    "template",
    "ticket",
    "workout",
];

const ENDINGS: [&str; 8] = [
    "for NAME",
    "of NAME",
    "that NAME sent",
    "named \"NAME\"",
    "from NAME, please",
    "with NAME in it",
    "I made with NAME",
    "and call it NAME",
];

const MAKERS: [&str; 20] = [
    "acorn", "birch", "cobalt", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "jasper", "kelp",
    "lumen", "maple", "nimbus", "onyx", "prairie", "quartz", "raven", "sable", "tundra",
];

const PRODUCTS: [&str; 20] = [
    "bank",
    "chatter",
    "clinic",
    "cloudbox",
    "cuisine",
    "datebook",
    "fitness",
    "gallerist",
    "groceries",
    "inbox",
    "journeys",
    "ledger",
    "library",
    "melody",
    "newsroom",
    "papers",
    "planner",
    "scholar",
    "studio",
    "transit",
];

const FIRST: [&str; 24] = [
    "Aisha", "Bruno", "Chiara", "Dmitri", "Elena", "Farid", "Greta", "Hiro", "Ines", "Jonas", "Kavya",
    "Lior", "Mei", "Nadia", "Oscar", "Priya", "Quentin", "Rosa", "Sven", "Tariq", "Ursula", "Viktor",
    "Wanda", "Yusuf",
];

const LAST: [&str; 24] = [
    "Abara",
    "Bianchi",
    "Castro",
    "Dubois",
    "Eriksen",
    "Fischer",
    "Gupta",
    "Haddad",
    "Ivanova",
    "Jensen",
    "Kowalski",
    "Lindqvist",
    "Moreau",
    "Nakamura",
    "Okafor",
    "Petrov",
    "Quispe",
    "Rossi",
    "Santos",
    "Takeda",
    "Ulrich",
    "Vargas",
    "Weber",
    "Zhang",
];
