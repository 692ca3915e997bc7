//! Experiments whose question is answered and written down (`docs/experiments`): those of the papers whose methods Polypath has,
//! and those that a decision of ours rested on. They stay for who wants to repeat one; nothing that is under work is measured by
//! them from day to day.

pub mod array_logs;
pub mod arrays;
pub mod equality;
pub mod fp_gsl;
pub mod homi;
pub mod lia;
pub mod multiplex;
pub mod observation;
pub mod scale;
