//! An attempt that goes in company: it is charged like any other, and passes no rate limit, since batches have none.

use super::Batches;
use crate::llm::attempts::Line;
use crate::llm::fault::Fault;
use crate::llm::key::Key;
use crate::llm::request::{ChatError, Reply, Request};
use crate::llm::tasks::Task;
use crate::llm::usage::Event;

impl Line {
    /// The way by which this request goes together with others, if it does.
    pub(in crate::llm) fn batches_for(&self, request: &Request) -> Option<&Batches> {
        self.batches.as_ref().filter(|_| !matches!(request.task, Task::Embed | Task::Score))
    }

    /// Asks once by a batch.
    pub(in crate::llm) async fn attempt_in_batch(
        &self,
        batches: &Batches,
        key: &Key,
        request: &Request,
        with_format: bool,
        repeated: bool,
    ) -> Result<Result<Reply, Fault>, ChatError> {
        let guess = self.estimator.guess(request);
        let reservation = self.unless_closing(self.budget.reserve(self.spending(guess))).await??;
        self.count(request, Event::Attempt { repeated });
        let body = || self.endpoint.body_of(request, with_format);
        let flying = self.usage.fly();
        let answer = self.wait_for(batches, batches.ask(key, body)).await?;
        drop(flying);
        let mut answer = answer.and_then(|body| self.endpoint.read(request, body));
        let used = self.used(request, guess, &mut answer);
        reservation.settle(self.spending(used));
        self.count(request, Event::Tokens(used, self.endpoint.config().price));
        Ok(answer)
    }

    /// A batch at a server is not waited for when the run ends: it outlives it. Files are written first.
    async fn wait_for<T>(
        &self,
        batches: &Batches,
        answer: impl Future<Output = Result<T, ChatError>>,
    ) -> Result<T, ChatError> {
        let leave = async {
            match batches {
                Batches::Online(_) => self.closing.wait().await,
                Batches::Offline(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = answer => answer,
            () = leave => Err(ChatError::Interrupted),
        }
    }
}
