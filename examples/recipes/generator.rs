//! How the data of this example are made: items, judge and ratings, from one seed.
//!
//! Cooks rate how well a step of a recipe can be followed, from 0 to 10. Steps come from six crafts. The judge knows
//! three of them (baking, soups, salads) and is ignorant of the others (cheese, smoking, charcuterie), which it does
//! not say: its standard deviations are the same everywhere. Most ratings are on the known crafts.
//!
//! 1. Every step is a dish and a manner of its craft. Manners are clear, middling or vague.
//! 2. The pool's mean m is 7.8, 5.4 or 3.2 for these, plus N(0, 0.7^2). Cooks differ by N(0, tau^2) with tau^2 an
//!    inverse-gamma draw with 12 degrees of freedom and scale 0.8, and rate with noise N(0, 0.5^2).
//! 3. In a known craft the judge's mean, in each of two variants of the prompt, is m + N(0, (tau^2 + 0.25)/30): it is
//!    worth some thirty labels. In an unknown craft it is 5.5 + N(0, 1.6^2), the variants 0.15 apart: it has nothing to
//!    do with the step. Its standard deviation is 1, stated for nine items in ten. One answer in fifty fails.
//! 4. A step of a known craft has ratings with probability 0.85, of an unknown one with 0.45: by 1 to 5 of 14 cooks,
//!    each of whom rates the step a second time with probability 0.15.
//! 5. Ratings are kept within the scale and rounded to halves, means to two decimals.

use judge_uncertainty::random::Stream;

/// Seed of the example.
pub(crate) const SEED: u64 = 20261122;

const CLEAR: f64 = 7.8;
const MIDDLING: f64 = 5.4;
const VAGUE: f64 = 3.2;

struct Craft {
    name: &'static str,
    known: bool,
    dishes: [&'static str; 10],
    manners: [(&'static str, f64); 4],
}

const CRAFTS: [Craft; 6] = [
    Craft {
        name: "baking",
        known: true,
        dishes: [
            "the rye loaf",
            "the lemon sponge",
            "the cinnamon rolls",
            "the shortbread",
            "the plum tart",
            "the oat biscuits",
            "the milk rolls",
            "the carrot cake",
            "the focaccia",
            "the walnut bread",
        ],
        manners: [
            ("Bake {dish} at 190 degrees for 35 minutes, until a skewer comes out dry.", CLEAR),
            ("Let {dish} rest under a towel until it has grown by about half.", MIDDLING),
            ("Work the dough of {dish} until it feels right.", VAGUE),
            ("Brush {dish} with milk and give it a bit longer if it looks pale.", MIDDLING),
        ],
    },
    Craft {
        name: "soups",
        known: true,
        dishes: [
            "the leek soup",
            "the tomato broth",
            "the lentil soup",
            "the fish stock",
            "the onion soup",
            "the pea soup",
            "the borscht",
            "the chicken broth",
            "the pumpkin soup",
            "the barley soup",
        ],
        manners: [
            ("Simmer {dish} without a lid for 40 minutes and skim it twice.", CLEAR),
            ("Season {dish} with some salt and a little vinegar.", MIDDLING),
            ("Cook {dish} as usual.", VAGUE),
            ("Thin {dish} with stock if it seems too heavy.", MIDDLING),
        ],
    },
    Craft {
        name: "salads",
        known: true,
        dishes: [
            "the bean salad",
            "the cabbage salad",
            "the potato salad",
            "the beetroot salad",
            "the cucumber salad",
            "the chickpea salad",
            "the fennel salad",
            "the rice salad",
            "the tomato salad",
            "the herring salad",
        ],
        manners: [
            ("Toss {dish} with two spoons of oil and one of lemon juice, then chill it for an hour.", CLEAR),
            ("Dress {dish} shortly before you serve it.", MIDDLING),
            ("Add whatever goes well with {dish}.", VAGUE),
            ("Cut the onions for {dish} rather fine.", MIDDLING),
        ],
    },
    Craft {
        name: "cheese",
        known: false,
        dishes: [
            "the washed-rind wheel",
            "the blue cheese",
            "the goat's milk log",
            "the pressed tomme",
            "the ricotta",
            "the brined feta",
            "the caciotta",
            "the bloomy-rind round",
            "the smoked scamorza",
            "the quark",
        ],
        manners: [
            ("Cut the curd of {dish} to 8 millimetres and stir it at 38 degrees for 25 minutes.", CLEAR),
            ("Turn {dish} daily while the whey still runs.", MIDDLING),
            ("Wait with {dish} for a clean break.", VAGUE),
            ("Rub {dish} with brine once the rind gets tacky.", MIDDLING),
        ],
    },
    Craft {
        name: "smoking",
        known: false,
        dishes: [
            "the eel",
            "the pork belly",
            "the trout",
            "the goose breast",
            "the mackerel",
            "the lamb ham",
            "the sprats",
            "the beef tongue",
            "the char",
            "the duck legs",
        ],
        manners: [
            ("Hang {dish} at 24 degrees for six hours and keep the chamber at 70 percent humidity.", CLEAR),
            ("Let the pellicle form on {dish} before you light the dust.", MIDDLING),
            ("Give {dish} thin blue smoke until it has taken.", VAGUE),
            ("Dampen the beech under {dish} when the draught runs hot.", MIDDLING),
        ],
    },
    Craft {
        name: "charcuterie",
        known: false,
        dishes: [
            "the coppa",
            "the fennel salami",
            "the bresaola",
            "the liver pate",
            "the nduja",
            "the lonza",
            "the guanciale",
            "the mortadella",
            "the black pudding",
            "the landjaeger",
        ],
        manners: [
            ("Cure {dish} with 28 grams of salt per kilo for nine days, turning it every third day.", CLEAR),
            ("Tie {dish} firmly and prick the casing where air is caught.", MIDDLING),
            ("Dry {dish} until it has lost enough.", VAGUE),
            ("Move {dish} if case hardening begins to show.", MIDDLING),
        ],
    },
];

/// The files of the example, by name.
pub(crate) fn files() -> [(&'static str, String); 3] {
    let mut stream = Stream::new(SEED);
    let mut items = String::from("id,craft,text,characters\n");
    let mut judge = String::from("id,variant,mean,sd\n");
    let mut ratings = String::from("id,annotator,score\n");
    let mut number = 0;
    for craft in &CRAFTS {
        for dish in craft.dishes {
            for (manner, base) in &craft.manners {
                number += 1;
                let id = format!("s{number:03}");
                let text = manner.replace("{dish}", dish);
                items += &format!("{id},{},\"{text}\",{}\n", craft.name, text.chars().count());
                let mean = base + 0.7 * stream.standard_normal();
                let tau2 = 12.0 * 0.8 / (2.0 * stream.gamma(6.0));
                judge += &scores(&mut stream, &id, craft.known, mean, tau2);
                ratings += &labels(&mut stream, &id, craft.known, mean, tau2);
            }
        }
    }
    [("items.csv", items), ("judge.csv", judge), ("ratings.csv", ratings)]
}

fn scores(stream: &mut Stream, id: &str, known: bool, mean: f64, tau2: f64) -> String {
    let guess = 5.5 + 1.6 * stream.standard_normal();
    let sd = if stream.choice(10) == 0 { "" } else { "1" };
    let mut rows = String::new();
    for variant in ["brief", "reasoned"] {
        let noise = stream.standard_normal();
        let score = if known { mean + ((tau2 + 0.25) / 30.0).sqrt() * noise } else { guess + 0.15 * noise };
        let failed = stream.choice(50) == 0;
        rows += &match failed {
            true => format!("{id},{variant},,\n"),
            false => format!("{id},{variant},{:.2},{sd}\n", score.clamp(0.0, 10.0)),
        };
    }
    rows
}

fn labels(stream: &mut Stream, id: &str, known: bool, mean: f64, tau2: f64) -> String {
    let rated = stream.random() < if known { 0.85 } else { 0.45 };
    let number = 1 + stream.choice(5);
    let mut cooks: Vec<u32> = (1..=14).collect();
    let mut rows = String::new();
    for _ in 0..number {
        let cook = cooks.swap_remove(stream.choice(cooks.len() as u32) as usize);
        let opinion = mean + tau2.sqrt() * stream.standard_normal();
        let again = stream.random() < 0.15;
        for _ in 0..if again { 2 } else { 1 } {
            let rating = (opinion + 0.5 * stream.standard_normal()).clamp(0.0, 10.0);
            if rated {
                rows += &format!("{id},cook{cook:02},{}\n", (2.0 * rating).round() / 2.0);
            }
        }
    }
    rows
}
