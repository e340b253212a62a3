//! Asks every question that has no answer yet, on several threads, with retries and within limits; stores each answer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::budget::{Pace, Purse, StopSignal, locked};
use crate::cache::{AnswerCache, CachedAnswer};
use crate::client::{Answer, Judge, TokenUsage, Trouble, Unreached};
use crate::parse::Failure;
use crate::reply::failed;
use crate::request::JudgeRequest;
use crate::{Error, about_tokens};
use judge_uncertainty_core::random::Stream;
use judge_uncertainty_study::input::scale::Scale;

/// Unanswered questions in a row, after which the endpoint counts as gone.
const GONE: u32 = 20;

/// Longest wait that an endpoint may ask for; after a longer one the question is left for another run.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// How a run goes about its questions.
#[derive(Debug, Clone, PartialEq)]
pub struct Effort {
    /// Questions under way at once, 1 or more.
    pub concurrency: usize,
    /// How often a question is asked again after trouble.
    pub retries: u32,
    /// First wait before asking again; it doubles each time. An endpoint may ask for a longer one, up to a quarter of an hour.
    pub first_wait: Duration,
}

/// What has happened so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTally {
    /// Questions of this run.
    pub questions: usize,
    /// Answers that arrived, failures included.
    pub arrived: usize,
    /// Answers that say nothing that counts, by kind.
    pub failures: BTreeMap<Failure, usize>,
    /// Questions without an answer, by kind.
    pub unreached: BTreeMap<Unreached, usize>,
    /// Tokens of this run.
    pub tokens: TokenUsage,
    /// Spent in the currency of the price, earlier runs included.
    pub spent: Option<f64>,
}

/// Why a run ended before all was asked.
#[derive(Debug)]
pub enum Ended {
    /// The next question could cost more than was allowed.
    MaxSpend,
    /// The endpoint refuses what is asked.
    Refused(String),
    /// The endpoint no longer answers; the last reason.
    Gone(String),
    /// An answer could not be stored.
    Cache(Error),
}

/// Which of the questions to ask.
///
/// Questions without an answer, and those whose last answer failed if `retry_failed`.
pub fn missing(
    requests: Vec<JudgeRequest>,
    cache: &AnswerCache,
    answers: &Scale,
    retry_failed: bool,
) -> Vec<JudgeRequest> {
    let wanted = |request: &JudgeRequest| match cache.answer(&request.key) {
        None => true,
        Some(entry) => retry_failed && entry.meaning(answers).is_err(),
    };
    let counted = |request: JudgeRequest| JudgeRequest { on_file: cache.count(&request.key), ..request };
    requests.into_iter().filter(wanted).map(counted).collect()
}

/// Asks the questions and stores every answer before it is counted. `watch` is called after each question, from several
/// threads but one at a time.
///
/// Returns what happened and, if not all was asked, why.
pub fn ask_all(
    requests: &[JudgeRequest],
    judge: &dyn Judge,
    answers: &Scale,
    cache: &mut AnswerCache,
    effort: &Effort,
    (pace, purse): (&Pace, &Purse),
    watch: &(dyn Fn(&RunTally) + Sync),
) -> (RunTally, Option<Ended>) {
    let run = Asking {
        requests,
        judge,
        answers,
        effort,
        pace,
        purse,
        watch,
        next: AtomicUsize::new(0),
        in_vain: AtomicU32::new(0),
        stop: StopSignal::default(),
        shared: Mutex::new(RunState {
            cache,
            tally: RunTally { questions: requests.len(), spent: purse.spent(), ..RunTally::default() },
            ended: None,
        }),
    };
    std::thread::scope(|scope| {
        for _ in 0..effort.concurrency.clamp(1, requests.len().max(1)) {
            scope.spawn(|| run.work());
        }
    });
    let shared = run.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    (shared.tally, shared.ended)
}

/// A run under way, shared by its threads.
struct Asking<'r> {
    requests: &'r [JudgeRequest],
    judge: &'r dyn Judge,
    answers: &'r Scale,
    effort: &'r Effort,
    pace: &'r Pace,
    purse: &'r Purse,
    watch: &'r (dyn Fn(&RunTally) + Sync),
    next: AtomicUsize,
    in_vain: AtomicU32,
    stop: StopSignal,
    shared: Mutex<RunState<'r>>,
}

/// What the threads write to, one at a time.
struct RunState<'r> {
    cache: &'r mut AnswerCache,
    tally: RunTally,
    ended: Option<Ended>,
}

impl<'r> Asking<'r> {
    fn work(&self) {
        while let Some(request) = self.requests.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let mut lost = TokenUsage::default();
            let asked = self.ask(request, &mut lost);
            if !matches!(asked, Ok(Some(_))) && lost != TokenUsage::default() {
                // No answer, but perhaps a bill: the next run begins with it.
                let entry = CachedAnswer::new(request, self.judge.host(), failed(Failure::NoReply, ""), lost);
                if let Err(e) = locked(&self.shared).cache.store(entry) {
                    return self.end(Ended::Cache(e));
                }
            }
            match asked {
                Ok(Some(answer)) => self.store(request, answer, lost),
                Ok(None) => return,
                Err((kind, detail)) => self.unreached(kind, detail),
            }
        }
    }

    /// Asks until there is an answer or no patience left; `None` if the run has ended. Attempts that brought nothing
    /// and may be charged all the same are added to `lost`.
    fn ask(&self, request: &JudgeRequest, lost: &mut TokenUsage) -> Result<Option<Answer>, (Unreached, String)> {
        let prompt = about_tokens(request.prompt.len());
        for attempt in 0.. {
            let Some(reserved) = self.purse.reserve(prompt, most(request)) else {
                self.end(Ended::MaxSpend);
                return Ok(None);
            };
            if !self.stop.sleep(self.pace.turn()) {
                self.purse.settle(reserved, TokenUsage::default());
                return Ok(None);
            }
            match self.judge.ask(request) {
                Ok(answer) => {
                    self.purse.settle(reserved, counted(&answer, &request.prompt, most(request)));
                    return Ok(Some(answer));
                }
                Err(Trouble::Fatal(detail)) => {
                    self.purse.settle(reserved, TokenUsage::default());
                    self.end(Ended::Refused(detail));
                    return Ok(None);
                }
                Err(Trouble::Again { kind, after, detail }) => {
                    // An answer that was on its way may be on the bill.
                    let perhaps = matches!(kind, Unreached::Timeout | Unreached::Connection);
                    let charged = if perhaps { reserved } else { TokenUsage::default() };
                    self.purse.settle(reserved, charged);
                    *lost = lost.plus(charged);
                    if attempt >= self.effort.retries || after.is_some_and(|after| after > PATIENCE) {
                        return Err((kind, detail));
                    }
                    if let Some(after) = after {
                        self.pace.pause(after);
                    }
                    let wait = self.wait(&request.key, attempt).max(after.unwrap_or_default());
                    if !self.stop.sleep(wait) {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(None)
    }

    /// The wait before asking again: it doubles, and varies between a half and the whole so that threads part.
    fn wait(&self, key: &str, attempt: u32) -> Duration {
        let doubled = self.effort.first_wait.saturating_mul(2_u32.saturating_pow(attempt));
        let seed = key.bytes().fold(u64::from(attempt), |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        doubled.mul_f64(0.5 + 0.5 * Stream::new(seed).random())
    }

    fn store(&self, request: &JudgeRequest, answer: Answer, lost: TokenUsage) {
        self.in_vain.store(0, Ordering::Relaxed);
        let tokens = counted(&answer, &request.prompt, most(request));
        let entry = CachedAnswer::new(request, self.judge.host(), answer, tokens.plus(lost));
        let failure = entry.meaning(self.answers).err();
        let mut shared = locked(&self.shared);
        if let Err(e) = shared.cache.store(entry) {
            drop(shared);
            return self.end(Ended::Cache(e));
        }
        let tally = &mut shared.tally;
        tally.arrived += 1;
        tally.tokens = tally.tokens.plus(tokens);
        tally.spent = self.purse.spent();
        if let Some(failure) = failure {
            *tally.failures.entry(failure).or_default() += 1;
        }
        (self.watch)(&shared.tally);
    }

    fn unreached(&self, kind: Unreached, detail: String) {
        let mut shared = locked(&self.shared);
        *shared.tally.unreached.entry(kind).or_default() += 1;
        shared.tally.spent = self.purse.spent();
        (self.watch)(&shared.tally);
        drop(shared);
        if self.in_vain.fetch_add(1, Ordering::Relaxed) + 1 >= GONE {
            self.end(Ended::Gone(format!("{} does not answer: {detail}", self.judge.host())));
        }
    }

    /// Ends the run; the first reason counts.
    fn end(&self, why: Ended) {
        locked(&self.shared).ended.get_or_insert(why);
        self.stop.stop();
    }
}

/// The limit on tokens of the answer, if the request has one.
fn most(request: &JudgeRequest) -> Option<u64> {
    request.parameters.get("max_completion_tokens").and_then(serde_json::Value::as_u64)
}

/// Tokens to charge for an answer: those that the endpoint counted, but no fewer than the prompt and the reply roughly
/// have. The reply counts for `most` tokens at most, because the endpoint had to stop there.
pub fn counted(answer: &Answer, prompt: &str, most: Option<u64>) -> TokenUsage {
    let stated = answer.tokens.unwrap_or_default();
    let arrived = answer.arrived.unwrap_or_else(|| answer.raw.as_deref().unwrap_or_default().len());
    TokenUsage {
        prompt: stated.prompt.max(about_tokens(prompt.len())),
        completion: stated.completion.max(about_tokens(arrived).min(most.unwrap_or(u64::MAX))),
    }
}
