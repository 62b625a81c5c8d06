//! The cloud: one group whose machines exist only in memory. It uses no pointers.

use std::collections::VecDeque;

use crate::abi::{Status, E_CONFLICT, E_INVALID_ARGUMENT, E_NOT_FOUND};

/// The error code, which tells the host what to do next, and a sentence.
pub type Refusal = (Status, String);

pub struct Config {
    pub min: i64,
    pub max: i64,
    pub cores: i64,
    pub memory_gib: i64,
    pub boot_ns: i64,
}

pub struct Machine {
    pub id: String,
    /// By the host's monotonic clock.
    requested_ns: i64,
}

pub struct Change<'a> {
    pub group: &'a str,
    pub delta: i32,
    pub expected_target: i32,
    pub key: &'a str,
}

pub struct Cloud {
    pub config: Config,
    /// The oldest first.
    pub machines: Vec<Machine>,
    next_number: u64,
    /// The last responses by idempotency key, so that a repeated request has one effect.
    answers: VecDeque<(String, i32)>,
}

pub const GROUP: &str = "new_rust_cloud";
const ANSWERS_MAX: usize = 256;

impl Cloud {
    pub fn new(config: Config, now_ns: i64) -> Cloud {
        let mut cloud = Cloud {
            config,
            machines: Vec::new(),
            next_number: 1,
            answers: VecDeque::new(),
        };
        // Machines that exist from the start have booted already.
        cloud.add(cloud.config.min, now_ns - cloud.config.boot_ns);
        cloud
    }

    pub fn target(&self) -> i32 {
        self.machines.len() as i32
    }

    pub fn runs(&self, machine: &Machine, now_ns: i64) -> bool {
        now_ns - machine.requested_ns >= self.config.boot_ns
    }

    pub fn increase(&mut self, change: &Change, now_ns: i64) -> Result<i32, Refusal> {
        if let Some(answer) = self.answer_to(change.key) {
            return Ok(answer);
        }
        self.check(change)?;
        if i64::from(change.delta) > self.config.max - i64::from(self.target()) {
            return Err((E_INVALID_ARGUMENT, format!("above the maximum of {}", self.config.max)));
        }
        self.add(i64::from(change.delta), now_ns);
        Ok(self.keep(change.key))
    }

    /// Cancels requests for machines that do not run yet, the youngest first.
    pub fn decrease_target(&mut self, change: &Change, now_ns: i64) -> Result<i32, Refusal> {
        if let Some(answer) = self.answer_to(change.key) {
            return Ok(answer);
        }
        self.check(change)?;
        let open = self.machines.iter().filter(|m| !self.runs(m, now_ns)).count();
        if change.delta as usize > open {
            return Err((E_INVALID_ARGUMENT, format!("only {open} requests can be cancelled")));
        }
        self.machines.truncate(self.machines.len() - change.delta as usize);
        Ok(self.keep(change.key))
    }

    /// Removes machines by id, and returns the ids that no machine has.
    pub fn remove<'a>(&mut self, ids: &[&'a str], force: bool) -> Result<Vec<&'a str>, Refusal> {
        let (going, unknown): (Vec<&str>, Vec<&str>) =
            ids.iter().partition(|id| self.machines.iter().any(|m| m.id == **id));
        if !force && i64::from(self.target()) - (going.len() as i64) < self.config.min {
            return Err((E_INVALID_ARGUMENT, format!("below the minimum of {}", self.config.min)));
        }
        self.machines.retain(|m| !going.contains(&m.id.as_str()));
        Ok(unknown)
    }

    /// Rejects an unknown group, a change by less than one machine, and a target that has changed
    /// since the host decided.
    fn check(&self, change: &Change) -> Result<(), Refusal> {
        if change.group != GROUP {
            return Err((E_NOT_FOUND, format!("unknown group {:?}", change.group)));
        }
        if change.delta < 1 {
            return Err((E_INVALID_ARGUMENT, "the change must be at least one machine".into()));
        }
        if change.expected_target != self.target() {
            let why = format!("the target is {}, not {}", self.target(), change.expected_target);
            return Err((E_CONFLICT, why));
        }
        Ok(())
    }

    fn add(&mut self, count: i64, requested_ns: i64) {
        for _ in 0..count {
            let id = format!("new_rust_cloud://{}", self.next_number);
            self.next_number += 1;
            self.machines.push(Machine { id, requested_ns });
        }
    }

    fn answer_to(&self, key: &str) -> Option<i32> {
        let known = self.answers.iter().find(|(known, _)| !key.is_empty() && known == key);
        known.map(|(_, answer)| *answer)
    }

    fn keep(&mut self, key: &str) -> i32 {
        if self.answers.len() == ANSWERS_MAX {
            self.answers.pop_front();
        }
        self.answers.push_back((key.into(), self.target()));
        self.target()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn cloud() -> Cloud {
        let config = Config { min: 1, max: 4, cores: 4, memory_gib: 16, boot_ns: 30 * SECOND };
        Cloud::new(config, 0)
    }
    fn change(delta: i32, expected_target: i32, key: &'static str) -> Change<'static> {
        Change { group: GROUP, delta, expected_target, key }
    }

    #[test]
    fn machines_run_when_they_have_booted() {
        let mut cloud = cloud();
        assert_eq!(cloud.increase(&change(2, 1, ""), 0), Ok(3));
        let running = |now| cloud.machines.iter().filter(|m| cloud.runs(m, now)).count();
        assert_eq!(running(30 * SECOND - 1), 1);
        assert_eq!(running(30 * SECOND), 3);
    }

    #[test]
    fn a_group_grows_neither_past_its_maximum_nor_from_an_outdated_target() {
        let mut cloud = cloud();
        let code = |refused: Result<i32, Refusal>| refused.unwrap_err().0;
        assert_eq!(code(cloud.increase(&change(4, 1, ""), 0)), E_INVALID_ARGUMENT);
        assert_eq!(code(cloud.increase(&change(i32::MAX, 1, ""), 0)), E_INVALID_ARGUMENT);
        assert_eq!(code(cloud.increase(&change(0, 1, ""), 0)), E_INVALID_ARGUMENT);
        assert_eq!(code(cloud.increase(&change(1, 3, ""), 0)), E_CONFLICT);
        assert_eq!(cloud.target(), 1);
    }

    #[test]
    fn the_same_request_twice_has_one_effect() {
        let mut cloud = cloud();
        assert_eq!(cloud.increase(&change(1, 1, "k"), 0), Ok(2));
        assert_eq!(cloud.increase(&change(1, 1, "k"), 0), Ok(2));
        assert_eq!(cloud.target(), 2);
    }

    #[test]
    fn only_machines_that_do_not_run_are_cancelled() {
        let mut cloud = cloud();
        assert_eq!(cloud.increase(&change(1, 1, "a"), 0), Ok(2));
        assert!(cloud.decrease_target(&change(2, 2, "b"), 0).is_err());
        assert_eq!(cloud.decrease_target(&change(1, 2, "c"), 0), Ok(1));
    }

    #[test]
    fn machines_are_removed_by_id_down_to_the_minimum() {
        let mut cloud = cloud();
        assert_eq!(cloud.increase(&change(1, 1, ""), 0), Ok(2));
        let both = ["new_rust_cloud://1", "new_rust_cloud://2"];
        assert!(cloud.remove(&both, false).is_err());
        assert_eq!(cloud.remove(&["new_rust_cloud://2", "other"], false), Ok(vec!["other"]));
        assert_eq!(cloud.remove(&["new_rust_cloud://1"], true), Ok(vec![]));
        assert_eq!(cloud.target(), 0);
    }
}
