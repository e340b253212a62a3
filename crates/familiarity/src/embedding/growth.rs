//! How much longer a tokenizer makes texts: a file of a kilobyte can say that each letter becomes a thousand, and that
//! twice in a row.

use serde_json::Value;

/// The longest that each byte of a text may become.
const MOST: f64 = 256.0;

/// How many bytes a tokenizer makes of each byte of a text at most, as its `tokenizer.json` says: the product over its
/// steps, one after the other.
///
/// # Errors
/// More than 256, with the step that makes the most.
pub(super) fn of_tokenizer(tokenizer: &Value) -> Result<f64, String> {
    let mut steps = vec![];
    for (name, inner) in
        [("normalizer", "normalizers"), ("pre_tokenizer", "pretokenizers"), ("post_processor", "processors")]
    {
        add_steps(name, &tokenizer[name], inner, &mut steps);
    }
    let model = &tokenizer["model"];
    let unknown = match (model["unk_token"].as_str(), model["unk_id"].as_u64()) {
        (None, Some(id)) => model["vocab"][id as usize][0].as_str(),
        (token, _) => token,
    };
    // Tokens are two bytes of a text or more on average, and a name such as `<|endoftext|>` is nothing unusual.
    steps.push(("model: its token for unknown words".to_owned(), unknown.map_or(0, str::len) as f64 / 16.0));
    for part in ["continuing_subword_prefix", "end_of_word_suffix"] {
        steps.push((format!("model: {part}"), model[part].as_str().map_or(0, str::len) as f64 / 4.0));
    }
    let product: f64 = steps.iter().map(|(_, factor)| factor.max(1.0)).product();
    if product <= MOST {
        return Ok(product);
    }
    let (name, factor) = steps.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).expect("there are steps");
    Err(format!(
        "the tokenizer can make texts {product:.0} times as long, and the limit is {MOST} ({name} alone {factor:.0} \
         times); take the tokenizer.json that was published with this model"
    ))
}

/// The steps of a part of a tokenizer, with the factor of each.
fn add_steps(name: &str, step: &Value, inner: &str, steps: &mut Vec<(String, f64)>) {
    let length = |key: &str| step[key].as_str().map_or(0, str::len) as f64;
    let kind = step["type"].as_str().unwrap_or_default();
    let factor = match kind {
        "Sequence" => {
            let all = step[inner].as_array().into_iter().flatten().enumerate();
            all.for_each(|(k, step)| add_steps(&format!("{name} {k}"), step, inner, steps));
            return;
        }
        // An expression may find nothing between any two bytes.
        "Replace" => match step["pattern"]["String"].as_str() {
            Some(pattern) if !pattern.is_empty() => length("content") / pattern.len() as f64,
            _ => length("content") + 1.0,
        },
        // Before a text, or before each of its words.
        "Prepend" => length("prepend") + 1.0,
        "Metaspace" => length("replacement") + 1.0,
        // A byte becomes a letter of two bytes; a sign of three bytes gets a space on either side.
        "ByteLevel" | "BertNormalizer" => 2.0,
        // Of letters that stand for several, the longest come from three bytes.
        "NFKC" | "NFKD" | "Nmt" => 1.5,
        "Precompiled" => 3.0,
        "TemplateProcessing" => {
            let pieces = |key: &str| step[key].as_array().map_or(0, Vec::len);
            let named = step["special_tokens"].as_object().into_iter().flatten();
            let tokens = named.map(|(_, token)| token["ids"].as_array().map_or(0, Vec::len)).max().unwrap_or(0);
            (pieces("single") * tokens.max(1)) as f64 / 4.0
        }
        _ => 1.0,
    };
    steps.push((format!("{name} ({kind})"), factor));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(part: &str, step: Value) -> Result<f64, String> {
        of_tokenizer(&serde_json::json!({"model": {"unk_token": "[UNK]"}, part: step}))
    }

    #[test]
    fn tokenizers_in_use_are_far_from_the_limit() {
        let of = |file: &str| {
            let file = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
            of_tokenizer(&serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()).unwrap()
        };
        assert_eq!(of("tests/golden/tiny-model/tokenizer.json"), 1.0);
        assert!(of("data/models/all-MiniLM-L6-v2/tokenizer.json") <= 4.0);
        // As Llama's, T5's and GPT-2's.
        let replace = |from: Value, to: &str| serde_json::json!({"type": "Replace", "pattern": from, "content": to});
        let llama = serde_json::json!({"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "\u{2581}"}, replace(serde_json::json!({"String": " "}), "\u{2581}")]});
        assert_eq!(with("normalizer", llama).unwrap(), 12.0);
        let t5 = serde_json::json!({"type": "Sequence", "normalizers": [
            {"type": "Precompiled"}, {"type": "Strip"}, replace(serde_json::json!({"Regex": " {2,}"}), "\u{2581}")]});
        assert_eq!(with("normalizer", t5).unwrap(), 12.0);
        assert_eq!(with("pre_tokenizer", serde_json::json!({"type": "ByteLevel"})).unwrap(), 2.0);
    }

    #[test]
    fn what_multiplies_is_refused_by_name() {
        let double = serde_json::json!({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"});
        let doubled = serde_json::json!({"type": "Sequence", "normalizers": vec![double; 30]});
        let told = with("normalizer", doubled).unwrap_err();
        assert!(told.starts_with("the tokenizer can make texts 1073741824 times as long"), "{told}");
        let long = "x".repeat(1000);
        for (part, step) in [
            ("normalizer", serde_json::json!({"type": "Replace", "pattern": {"Regex": ""}, "content": long})),
            ("normalizer", serde_json::json!({"type": "Prepend", "prepend": long})),
            ("pre_tokenizer", serde_json::json!({"type": "Metaspace", "replacement": long})),
            ("post_processor", serde_json::json!({"type": "TemplateProcessing", "single": vec![0; 2000]})),
        ] {
            let told = with(part, step).unwrap_err();
            assert!(told.contains(part), "{told}");
        }
        let told = of_tokenizer(&serde_json::json!({"model": {"unk_token": "u".repeat(10_000)}})).unwrap_err();
        assert!(told.contains("unknown words alone 625 times"), "{told}");
    }
}
