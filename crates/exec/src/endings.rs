//! The names of endings and losses, as the machine uses them.

pub(crate) use explore::{Bound, Ending, Halt, Keep, Loss, stopped};
