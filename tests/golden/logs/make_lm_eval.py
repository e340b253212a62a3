"""Samples of lm-evaluation-harness: a judge's task as multiple choice and as generation, and the same in the schema of Every
Eval Ever.

    pip install lm-eval==0.4.13
    python make_lm_eval.py .
    pip install every-eval-ever==0.3.0      # Python 3.12; the files of `out` are kept for it with a second argument
    every_eval_ever convert lm_eval --log_path OUT/stand-in__judge --output_dir DIR --include_samples \
        --source_organization_name local --evaluator_relationship other --eval_library_name lm_eval --eval_library_version 0.4.13
"""

import sys, os, json, random, tempfile, glob, shutil
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager
OUT = os.path.abspath(sys.argv[1])
KEPT = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
work = tempfile.mkdtemp()
os.chdir(work)
docs = [{"id": f"d{i}", "message": m, "gold": g} for i, (m, g) in enumerate([("Stolen card", "urgent"), ("Thanks!", "later"), ("Parcel late", "soon"), ("Two\nlines, \"quoted\"", "soon")])]
open("docs.jsonl", "w").writelines(json.dumps(d) + "\n" for d in docs)
LABELS = ["urgent", "soon", "later"]
open("judge_choice.yaml", "w").write("""task: judge_choice
dataset_path: json
dataset_kwargs:
  data_files:
    test: docs.jsonl
test_split: test
output_type: multiple_choice
doc_to_text: "Message: {{message}}\\nHow soon?"
doc_to_choice: ["urgent", "soon", "later"]
doc_to_target: "{{gold}}"
metric_list:
  - metric: acc
metadata:
  version: 1.0
""")
open("judge_generate.yaml", "w").write("""task: judge_generate
dataset_path: json
dataset_kwargs:
  data_files:
    test: docs.jsonl
test_split: test
output_type: generate_until
doc_to_text: "Message: {{message}}\\nHow soon?"
doc_to_target: "{{gold}}"
repeats: 3
generation_kwargs:
  until: ["\\n"]
  do_sample: true
  temperature: 1.0
filter_list:
  - name: samples
    filter:
      - function: take_first_k
        k: 3
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
""")
class Local(LM):
    """Stands in for a model: fixed draws."""
    def __init__(self): super().__init__(); self.random = random.Random(5)
    def loglikelihood(self, requests, **_): return [(-4 * self.random.random() - 0.1, False) for _ in requests]
    def generate_until(self, requests, **_): return [self.random.choice([" urgent", " soon", " soon", " hm"]) for _ in requests]
    def loglikelihood_rolling(self, requests, **_): raise NotImplementedError
for task in ["judge_choice", "judge_generate"]:
    results = simple_evaluate(Local(), tasks=[task], task_manager=TaskManager(include_path="."), bootstrap_iters=0)
    samples = results.pop("samples")
    tracker = EvaluationTracker(output_path="out")
    results["config"] = {k: v for k, v in results["config"].items() if k != "model"}
    results["model_name"] = "stand-in/judge"
    tracker.general_config_tracker.model_name = "stand-in/judge"
    tracker.general_config_tracker.model_name_sanitized = "stand-in__judge"
    tracker.save_results_aggregated(results, samples)
    tracker.save_results_samples(task, samples[task])
if len(sys.argv) > 2:
    shutil.copytree("out", KEPT)
for found in glob.glob("out/**/samples_*.jsonl", recursive=True):
    shutil.copy(found, os.path.join(OUT, os.path.basename(found).split("_2")[0] + ".jsonl"))
