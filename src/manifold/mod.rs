//! The manifold that constraints leave to a mechanism: getting onto it, and what holds there. With springs in place of rigid
//! joints it is a slow manifold nearby; [`ipa`] says how to get there, and which way to choose.

mod consistent;
mod diagnostics;
pub mod ipa;

pub use consistent::{consistent, free_motion};
pub use diagnostics::Diagnostics;
pub use ipa::{Ending, Ipa, Kernel, Slow, Sprung, rigid_limit};
