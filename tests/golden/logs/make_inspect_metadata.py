"""A log of inspect_ai whose samples carry metadata: topics, what a person said, and values within values.

    pip install inspect-ai==0.3.285 openai==3.54.0
    python make_inspect_metadata.py .
"""

import os
import sys

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, mean, scorer

OUT = sys.argv[1]


def said(text):
    # Usage is stated, because counting tokens would download a tokenizer.
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=9, output_tokens=5, total_tokens=14)
    return output


@scorer(metrics=[mean()])
def helpful():
    async def score(state, target):
        return Score(value="C" if "yes" in state.output.completion else "I")

    return score


HUMAN = ["C", "I", None, "I", "C", None]
samples = [
    Sample(id=f"m{i}", input=f"Does number {i} help?", target="yes",
           metadata={"topic": ["law", "art"][i % 2], "human": HUMAN[i], "source": {"page": i, "urls": ["a", "b"]}})
    for i in range(6)
]
model = get_model("mockllm/model", custom_outputs=[said(f"{'yes' if i % 3 else 'no'}, {i}") for i in range(6)])
task = Task(dataset=MemoryDataset(samples, name="help"), scorer=helpful(), name="helped")
logs = eval(task, model=model, log_dir=OUT, log_format="json", display="none", max_samples=1, max_connections=1, log_realtime=False)
log = read_eval_log(logs[0].location)
for sample in log.samples:
    sample.events, sample.attachments = [], {}  # to keep the file small
write_eval_log(log, os.path.join(OUT, "inspect-metadata.json"))
os.remove(logs[0].location.replace("file://", ""))
