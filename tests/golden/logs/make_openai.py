"""Chat completions as the package `openai` returns them from a local stand-in for the server, and as lines of the Batch API,
whose layout is the published one.

    pip install openai==3.54.0
    python make_openai.py .
"""

import json, math, os, sys
import httpx
from openai import OpenAI
OUT = sys.argv[1]
messages = {"m1": "Stolen card", "m2": "Thanks!", "m3": "Parcel late", "m4": "Two\nlines", "m5": "Say nothing", "m6": "Odd"}
# Per item: the tokens of the answer, each with what was likely in its place.
answers = {
    "m1": [[("urgent", 0.8), ("soon", 0.15), ("later", 0.02), ("Urgent", 0.01)]],
    "m2": [[(" later", 0.6), (" soon", 0.3), ("?", 0.05)]],
    "m3": [[("\n", 0.9), ("soon", 0.1)], [("soon", 0.5), ("later", 0.3), ("urgent", 0.1), ("now", 0.1)]],
    "m4": [[('{"', 1.0)], [("label", 1.0)], [('":', 1.0)], [(' "', 1.0)], [("soon", 0.7), ("urgent", 0.2)], [('"}', 1.0)]],
    "m6": [[("Well", 0.7), ("soon", 0.2), ("later", 0.05)], [(",", 1.0)], [(" soon", 1.0)]],
}
def reply(request):
    body = json.loads(request.content)
    item = body["metadata"]["item_id"]
    tokens = answers.get(item)
    entry = lambda t, p: {"token": t, "logprob": math.log(p), "bytes": list(t.encode())}
    logprobs = tokens and {"content": [{**entry(*likely[0]), "top_logprobs": [entry(t, p) for t, p in likely]} for likely in tokens], "refusal": None}
    message = {"role": "assistant", "content": tokens and "".join(likely[0][0] for likely in tokens), "refusal": None if tokens else "I cannot say."}
    return httpx.Response(200, json={"id": f"chatcmpl-{item}", "object": "chat.completion", "created": 1780000000, "model": body["model"], "system_fingerprint": "fp_local",
        "metadata": body["metadata"], "choices": [{"index": 0, "message": message, "logprobs": logprobs, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}})
client = OpenAI(api_key="none", base_url="http://stand-in/v1", http_client=httpx.Client(transport=httpx.MockTransport(reply)))
requests, results, plain = [], [], []
for item, text in messages.items():
    body = dict(model="stand-in-1", messages=[{"role": "system", "content": "How soon? urgent, soon or later."}, {"role": "user", "content": text}], logprobs=True, top_logprobs=5, max_tokens=8)
    requests.append({"custom_id": item, "method": "POST", "url": "/v1/chat/completions", "body": body})
    completion = client.chat.completions.create(**body, metadata={"item_id": item})
    plain.append(completion.to_dict())
    results.append({"id": f"batch_req_{item}", "custom_id": item, "response": {"status_code": 200, "request_id": f"req_{item}", "body": completion.to_dict()}, "error": None})
results[4:4] = [{"id": "batch_req_x", "custom_id": "m7", "response": None, "error": {"code": "batch_expired", "message": "This request could not be executed before the completion window expired."}}]
requests.append({"custom_id": "m7", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "stand-in-1", "messages": [{"role": "user", "content": "Never asked"}]}})
for name, rows in [("openai-batch-input", requests), ("openai-batch-output", results), ("openai-completions", plain)]:
    open(os.path.join(OUT, name + ".jsonl"), "w").writelines(json.dumps(row) + "\n" for row in rows)
