//! Limits of a run: how fast it may ask, and what it may spend.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::client::TokenUsage;

/// The value of a mutex, also after another thread panicked with it.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all waiting at once.
#[derive(Debug, Default)]
pub struct StopSignal {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl StopSignal {
    /// Asks every thread to end.
    pub fn stop(&self) {
        *locked(&self.stopped) = true;
        self.changed.notify_all();
    }

    /// Waits; false if the wait was ended early.
    pub fn sleep(&self, duration: Duration) -> bool {
        let stopped = locked(&self.stopped);
        let (stopped, _) = self
            .changed
            .wait_timeout_while(stopped, duration, |stopped| !*stopped)
            .unwrap_or_else(PoisonError::into_inner);
        !*stopped
    }
}

/// Requests per minute, spread evenly over all threads.
#[derive(Debug)]
pub struct Pace {
    requests_per_minute: Option<f64>,
    /// When the next request may go out.
    next: Mutex<Instant>,
}

impl Pace {
    /// A pace of so many requests per minute, more than 0; `None` for unlimited requests.
    pub fn new(requests_per_minute: Option<f64>) -> Self {
        Pace { requests_per_minute, next: Mutex::new(Instant::now()) }
    }

    /// Takes the next place in the queue; how long to wait for it.
    pub fn turn(&self) -> Duration {
        self.turn_at(Instant::now())
    }

    fn turn_at(&self, now: Instant) -> Duration {
        // Nobody waits longer than a year; times have no room for much more.
        let year = Duration::from_secs(31_536_000);
        let mut next = locked(&self.next);
        let start = now.max(*next);
        if let Some(rate) = self.requests_per_minute {
            *next = start + Duration::try_from_secs_f64(60.0 / rate).unwrap_or(year).min(year);
        }
        start - now
    }

    /// Holds everybody back: an endpoint that asks one thread to slow down means all of them.
    pub fn pause(&self, duration: Duration) {
        let mut next = locked(&self.next);
        *next = (*next).max(Instant::now() + duration);
    }
}

/// Prices in the user's currency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Per million tokens of the prompt.
    pub prompt: f64,
    /// Per million tokens of the answer.
    pub completion: f64,
}

impl Price {
    /// Cost of some tokens, in the currency of the prices.
    pub fn cost(&self, tokens: TokenUsage) -> f64 {
        (self.prompt * tokens.prompt as f64 + self.completion * tokens.completion as f64) / 1e6
    }
}

/// Keeps account of the tokens that were charged and of those that the questions under way may cost.
#[derive(Debug)]
pub struct Purse {
    price: Option<Price>,
    limit: Option<f64>,
    account: Mutex<Account>,
}

#[derive(Debug)]
struct Account {
    charged: TokenUsage,
    reserved: TokenUsage,
    longest: u64,
}

impl Purse {
    /// A purse from which the tokens `charged` are paid already; `longest` is the answer length, in tokens, to reckon
    /// with at first.
    pub fn new(price: Option<Price>, limit: Option<f64>, charged: TokenUsage, longest: u64) -> Self {
        Purse { price, limit, account: Mutex::new(Account { charged, reserved: TokenUsage::default(), longest }) }
    }

    /// Reserves tokens for a question with `prompt` tokens in its prompt and at most `most` in its answer; if `most` is
    /// unknown, the length of the longest answer so far. `None` if the limit does not allow it.
    pub fn reserve(&self, prompt: u64, most: Option<u64>) -> Option<TokenUsage> {
        let mut account = locked(&self.account);
        let tokens = TokenUsage { prompt, completion: most.unwrap_or(account.longest) };
        let after = account.charged.plus(account.reserved).plus(tokens);
        if self.price.zip(self.limit).is_some_and(|(price, limit)| price.cost(after) > limit) {
            return None;
        }
        account.reserved = account.reserved.plus(tokens);
        Some(tokens)
    }

    /// Ends a reservation: `charged` were paid for, none of them if nothing was.
    pub fn settle(&self, reserved: TokenUsage, charged: TokenUsage) {
        let mut account = locked(&self.account);
        account.reserved = account.reserved.minus(reserved);
        account.charged = account.charged.plus(charged);
        account.longest = account.longest.max(charged.completion);
    }

    /// What was spent, in the currency of the price; `None` without a price.
    pub fn spent(&self) -> Option<f64> {
        self.price.map(|price| price.cost(locked(&self.account).charged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_keep_the_rate() {
        let seconds = |pace: &Pace, now| pace.turn_at(now).as_secs_f64();
        let pace = Pace::new(Some(60.0));
        let now = Instant::now();
        assert_eq!([(); 3].map(|()| seconds(&pace, now)), [0.0, 1.0, 2.0]);
        let later = now + Duration::from_secs(10);
        assert_eq!(seconds(&pace, later), 0.0);
        assert_eq!(Pace::new(None).turn(), Duration::ZERO);
    }

    #[test]
    fn a_purse_never_promises_more_than_it_holds() {
        let price = Price { prompt: 1.0, completion: 10.0 };
        let none = TokenUsage::default();
        let purse = Purse::new(Some(price), Some(0.001), none, 10);
        // 100 + 10 x 10 = 200 millionths: five of them fit.
        let reserved: Vec<TokenUsage> = (0..9).map_while(|_| purse.reserve(100, None)).collect();
        assert_eq!(reserved.len(), 5);
        purse.settle(reserved[0], TokenUsage { prompt: 100, completion: 5 });
        assert!((purse.spent().unwrap() - 150e-6).abs() < 1e-12);
        assert_eq!(purse.reserve(100, Some(10)), None);
        purse.settle(reserved[1], none);
        assert!(purse.reserve(100, Some(10)).is_some());
        purse.settle(reserved[2], reserved[2]);
        assert!((purse.spent().unwrap() - 350e-6).abs() < 1e-12);
        // A longer answer raises what is reckoned with, and one that claims more than there are numbers ends the run.
        let purse = Purse::new(Some(price), Some(1.0), none, 10);
        purse.settle(none, TokenUsage { prompt: 0, completion: 1000 });
        assert_eq!(purse.reserve(0, None), Some(TokenUsage { prompt: 0, completion: 1000 }));
        purse.settle(none, TokenUsage { prompt: u64::MAX, completion: u64::MAX });
        assert_eq!(purse.reserve(1, None), None);
        assert!(Purse::new(None, None, none, 0).reserve(1, None).is_some());
    }

    #[test]
    fn a_pace_of_next_to_nothing_waits_a_year_and_no_longer() {
        let pace = Pace::new(Some(1e-300));
        let now = Instant::now();
        assert_eq!(pace.turn_at(now), Duration::ZERO);
        assert_eq!(pace.turn_at(now), Duration::from_secs(31_536_000));
    }

    #[test]
    fn a_stop_ends_waiting() {
        let stop = StopSignal::default();
        assert!(stop.sleep(Duration::from_millis(1)));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| stop.sleep(Duration::from_secs(3600)));
            stop.stop();
            assert!(!waiting.join().unwrap());
        });
    }
}
