//! Where broken rules go: reading stops at the first, verification collects them all.

use crate::{Error, Fault, Problem};

/// Takes broken rules. An error says: stop here.
pub(crate) trait Sink {
    fn problem(&mut self, problem: Problem) -> Result<(), Error>;

    /// A rule broken at an offset of the file.
    fn fault(&mut self, fault: Fault, offset: u64) -> Result<(), Error> {
        self.problem(Problem::new(fault, None, Some(offset)))
    }

    /// A rule broken by one tensor.
    fn tensor(&mut self, fault: Fault, name: &str, offset: u64) -> Result<(), Error> {
        self.problem(Problem::new(fault, Some(name), Some(offset)))
    }
}

/// Stops at the first.
pub(crate) struct First;

impl Sink for First {
    fn problem(&mut self, problem: Problem) -> Result<(), Error> {
        Err(problem.into())
    }
}

/// Collects every one.
#[derive(Default)]
pub(crate) struct Every(pub Vec<Problem>);

impl Sink for Every {
    fn problem(&mut self, problem: Problem) -> Result<(), Error> {
        self.0.push(problem);
        Ok(())
    }
}
