//! What the processes of a run have asked and spent, beside its replies: the next process counts on from there.
//!
//! Each process has rows of its own, which every commit brings up to date: a reply is never on disk without what it cost.
//! What is in flight is written down as well, as it was estimated, and as much again as was spent since the last commit,
//! since so much will be spent until the next one; a process that is killed leaves both as spent.

use crate::limit::budget::{Budget, Spending};
use crate::usage::{StageUsage, UsageBook};
use rusqlite::{Connection, params};
use std::sync::{Arc, Mutex, PoisonError};

/// The accounts of this process.
pub(super) struct Accounts {
    /// Which run of the journal's folder it belongs to.
    run: String,
    process: String,
    usage: Arc<UsageBook>,
    budget: Arc<Budget>,
    written: Mutex<News>,
}

/// What is to be written, or was.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct News {
    rows: Vec<StageUsage>,
    spent: Spending,
    /// What counts as spent where this is the last word of the process.
    in_flight: Spending,
}

pub(super) const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS usage (
        run TEXT NOT NULL, process TEXT NOT NULL, stage TEXT NOT NULL, model TEXT NOT NULL,
        requests INTEGER NOT NULL, cache_hits INTEGER NOT NULL, attempts INTEGER NOT NULL, retries INTEGER NOT NULL,
        failures INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL NOT NULL,
        PRIMARY KEY (run, process, stage, model)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS waves (
        run TEXT NOT NULL, process TEXT NOT NULL, stage TEXT NOT NULL, model TEXT NOT NULL,
        waves INTEGER NOT NULL, begun INTEGER NOT NULL, PRIMARY KEY (run, process, stage, model)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS in_flight (
        run TEXT NOT NULL, process TEXT NOT NULL, cost REAL NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (run, process)
    ) STRICT, WITHOUT ROWID;";

impl Accounts {
    /// Opens the accounts of a new process, and tells `usage` and `budget` what those before it have spent.
    pub(super) fn open(
        connection: &Connection,
        run: &str,
        usage: Arc<UsageBook>,
        budget: Arc<Budget>,
    ) -> rusqlite::Result<Self> {
        let process = connection.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))?;
        let rows = earlier(connection, run)?;
        let mut lost = connection.prepare("SELECT TOTAL(cost), IFNULL(SUM(tokens), 0) FROM in_flight WHERE run = ?")?;
        let lost = lost.query_row([run], |row| Ok(Spending { cost: row.get(0)?, tokens: count(row.get(1)?) }))?;
        let spent = rows.iter().fold(lost, |spent, row| spent.plus(row.spending()));
        usage.follow(rows);
        budget.follow(spent);
        let written = Mutex::new(News { spent: budget.spent(), ..News::default() });
        Ok(Self { run: run.to_owned(), process, usage, budget, written })
    }

    /// What has changed since it was last written, if anything has.
    pub(super) fn news(&self) -> Option<News> {
        // What is in flight is read first: what lands in between is counted twice for a moment, and never not at all.
        let (in_flight, spent) = (self.budget.in_flight(), self.budget.spent());
        let written = self.written();
        let is_idle = in_flight == Spending::default();
        let in_flight = if is_idle { in_flight } else { in_flight.plus(spent.minus(written.spent)) };
        let news = News { rows: self.usage.snapshot(), spent, in_flight };
        (*written != news).then_some(news)
    }

    /// Writes the rows that have changed.
    pub(super) fn write(&self, connection: &Connection, news: &News) -> rusqlite::Result<()> {
        let written = self.written();
        let mut replace = connection.prepare_cached(
            "INSERT OR REPLACE INTO usage (run, process, stage, model, requests, cache_hits, attempts, retries, failures,
             prompt_tokens, completion_tokens, cost) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let mut waves = connection.prepare_cached(
            "INSERT OR REPLACE INTO waves (run, process, stage, model, waves, begun) VALUES (?, ?, ?, ?, ?, ?)",
        )?;
        for row in news.rows.iter().filter(|row| !written.rows.contains(row)) {
            let [requests, cache_hits, attempts, retries, failures, prompt, completion] = [
                row.requests,
                row.cache_hits,
                row.attempts,
                row.retries,
                row.failures,
                row.prompt_tokens,
                row.completion_tokens,
            ]
            .map(number);
            replace.execute(params![
                self.run,
                self.process,
                row.stage,
                row.model,
                requests,
                cache_hits,
                attempts,
                retries,
                failures,
                prompt,
                completion,
                row.cost
            ])?;
            if row.waves > 0 {
                waves.execute(params![
                    self.run,
                    self.process,
                    row.stage,
                    row.model,
                    number(row.waves),
                    number(row.waves_begun)
                ])?;
            }
        }
        let Spending { cost, tokens } = news.in_flight;
        connection
            .prepare_cached("INSERT OR REPLACE INTO in_flight (run, process, cost, tokens) VALUES (?, ?, ?, ?)")?
            .execute(params![self.run, self.process, cost, number(tokens)])?;
        Ok(())
    }

    /// Remembers what is on disk now.
    pub(super) fn wrote(&self, news: News) {
        *self.written() = news;
    }

    fn written(&self) -> std::sync::MutexGuard<'_, News> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What all processes of the run have asked so far, by stage and model.
fn earlier(connection: &Connection, run: &str) -> rusqlite::Result<Vec<StageUsage>> {
    let mut select = connection.prepare(
        "SELECT stage, model, SUM(requests), SUM(cache_hits), SUM(attempts), SUM(retries), SUM(failures),
         SUM(prompt_tokens), SUM(completion_tokens), SUM(cost), IFNULL(SUM(waves), 0), IFNULL(SUM(begun), 0)
         FROM usage LEFT JOIN waves USING (run, process, stage, model) WHERE run = ? GROUP BY stage, model",
    )?;
    let rows = select.query_map([run], |row| {
        let sum = |at: usize| row.get(at).map(count);
        Ok(StageUsage {
            stage: row.get(0)?,
            model: row.get(1)?,
            requests: sum(2)?,
            cache_hits: sum(3)?,
            attempts: sum(4)?,
            retries: sum(5)?,
            failures: sum(6)?,
            prompt_tokens: sum(7)?,
            completion_tokens: sum(8)?,
            cost: row.get(9)?,
            waves: sum(10)?,
            waves_begun: sum(11)?,
        })
    })?;
    rows.collect()
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Price;
    use crate::request::Usage;
    use crate::usage::Event;

    const PRICE: Price = Price { input: 1.0, output: 0.0 };

    fn open(connection: &Connection, run: &str) -> Accounts {
        Accounts::open(connection, run, Arc::default(), Arc::default()).unwrap()
    }

    fn spend(accounts: &Accounts, stage: &str, prompt: u64) {
        accounts.usage.count(stage, "m", Event::Attempt { repeated: false });
        accounts.usage.count(stage, "m", Event::Tokens(Usage { prompt, completion: 0 }, PRICE));
    }

    fn write(connection: &Connection, accounts: &Accounts) {
        let news = accounts.news().unwrap();
        accounts.write(connection, &news).unwrap();
        accounts.wrote(news);
    }

    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLES).unwrap();
        connection
    }

    #[test]
    fn the_next_process_counts_on_from_all_before() {
        let connection = database();
        for prompt in [1_000_000, 2_000_000] {
            let accounts = open(&connection, "a");
            spend(&accounts, "write", prompt);
            accounts.usage.count_wave("write", "m", 0);
            write(&connection, &accounts);
        }
        let next = open(&connection, "a");
        assert_eq!(next.budget.spent(), Spending { cost: 3.0, tokens: 3_000_000 });
        spend(&next, "write", 500_000);
        let total = next.usage.totals().remove(0);
        assert_eq!((total.attempts, total.prompt_tokens), (3, 3_500_000));
        assert_eq!((total.waves, total.waves_begun), (2, 2));
        assert!((total.cost - 3.5).abs() < 1e-9 && next.usage.snapshot()[0].attempts == 1);
        assert_eq!(
            open(&connection, "b").budget.spent(),
            Spending::default(),
            "another run is no business of this one"
        );
    }

    #[test]
    fn what_has_not_changed_is_not_written_again() {
        let connection = database();
        let accounts = open(&connection, "a");
        assert!(accounts.news().is_none());
        spend(&accounts, "write", 7);
        write(&connection, &accounts);
        assert!(accounts.news().is_none());
        spend(&accounts, "judge", 7);
        write(&connection, &accounts);
        assert_eq!(open(&connection, "a").budget.spent().tokens, 14);
    }

    #[tokio::test]
    async fn what_is_in_flight_when_a_process_is_killed_counts_as_spent() {
        let connection = database();
        let accounts = open(&connection, "a");
        let estimate = Spending { cost: 0.5, tokens: 9 };
        let mut reservation = accounts.budget.reserve(estimate).await.unwrap();
        assert!(accounts.news().is_none(), "what was not sent costs nothing");
        reservation.sent();
        write(&connection, &accounts);
        assert_eq!(open(&connection, "a").budget.spent(), estimate);
        reservation.settle(Spending { cost: 0.1, tokens: 2 });
        write(&connection, &accounts);
        assert_eq!(open(&connection, "a").budget.spent(), Spending::default(), "its usage is booked elsewhere");
    }

    #[tokio::test]
    async fn as_much_as_was_spent_since_the_last_commit_may_be_spent_until_the_next() {
        let connection = database();
        let accounts = open(&connection, "a");
        let reserve = async |tokens| {
            let mut reservation = accounts.budget.reserve(Spending { cost: 0.0, tokens }).await.unwrap();
            reservation.sent();
            reservation
        };
        let _flying = reserve(9).await;
        write(&connection, &accounts);
        reserve(5).await.settle(Spending { cost: 0.0, tokens: 5 });
        write(&connection, &accounts);
        assert_eq!(open(&connection, "a").budget.spent().tokens, 9 + 5);
        write(&connection, &accounts);
        assert_eq!(open(&connection, "a").budget.spent().tokens, 9, "nothing was spent meanwhile");
        assert!(accounts.news().is_none());
    }
}
