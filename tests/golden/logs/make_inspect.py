"""Logs of inspect_ai with edits of scores: an archive with zstd members, one as older versions wrote it, and JSON.

    pip install inspect-ai==0.3.285 openai==3.54.0
    python make_inspect.py .
"""

import os
import sys
import zipfile

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample, MemoryDataset
from inspect_ai.scorer import Score, ScoreEdit, mean, model_graded_qa, scorer
from inspect_ai.log import edit_score, read_eval_log, write_eval_log, ProvenanceData
from inspect_ai.model import get_model, ModelOutput, ModelUsage
OUT = sys.argv[1]

def M(text):
    # Usage is stated, because counting tokens would download a tokenizer.
    out = ModelOutput.from_content("mockllm/model", text)
    out.usage = ModelUsage(input_tokens=9, output_tokens=5, total_tokens=14)
    return out


@scorer(metrics=[mean()])
def politeness():
    async def score(state, target):
        n = len(state.output.completion)
        return Score.unscored(reason="refused") if state.sample_id == "q3" else Score(value=float(n % 5 + 1), explanation="length")
    return score

samples = [Sample(id=f"q{i}", input=f"What is {i} + {i}?", target=str(2*i)) for i in range(1, 6)]
model = get_model("mockllm/model", custom_outputs=[M(f"It is {2*i + (i == 4)}.") for i in range(1, 6)])
grader = get_model("mockllm/model", custom_outputs=[M(f"Reasoning.\n\nGRADE: {'I' if i == 4 else 'C'}") for i in range(1, 6)])
t = Task(dataset=MemoryDataset(samples, name="sums"), scorer=[model_graded_qa(model=grader), politeness()], name="graded")
logs = eval(t, model=model, log_dir=OUT, log_format="eval", display="none", max_samples=1, max_connections=1, log_realtime=False)
log = read_eval_log(logs[0].location)
edit_score(log, "q4", "model_graded_qa", ScoreEdit(value="C", provenance=ProvenanceData(author="alice", reason="the grader misread")))
edit_score(log, "q2", "model_graded_qa", ScoreEdit(value="I", provenance=ProvenanceData(author="alice")))
edit_score(log, "q2", "model_graded_qa", ScoreEdit(value="C", provenance=ProvenanceData(author="bob")))
edit_score(log, "q1", "politeness", ScoreEdit(value=5.0, provenance=ProvenanceData(author="alice")))
edit_score(log, "q5", "model_graded_qa", ScoreEdit(explanation="unchanged value", provenance=ProvenanceData(author="alice")))
for sample in log.samples:
    sample.events, sample.attachments = [], {}  # to keep the files small
write_eval_log(log, os.path.join(OUT, "inspect-graded.eval"))
write_eval_log(log, os.path.join(OUT, "inspect-graded.json"))
os.remove(logs[0].location.replace("file://",""))

# As versions before zstd wrote it: the same members, deflated.
with zipfile.ZipFile(os.path.join(OUT, "inspect-graded.eval")) as new, zipfile.ZipFile(os.path.join(OUT, "inspect-graded-deflate.eval"), "w", zipfile.ZIP_DEFLATED) as old:
    for name in new.namelist():
        old.writestr(name, new.read(name))
