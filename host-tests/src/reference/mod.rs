//! The reference solver: implicit Runge-Kutta as a textbook writes it down, to check the core against.
//!
//! Nothing is shared with the core but the equations of the models. Tableaux come by another route, all stages are solved
//! as one coupled system with a full Newton iteration that runs until it cannot improve, matrices are dense and on the
//! heap, and no care is taken of cost. Agreement is therefore to rounding, not to the bit.
//!
//! | file | what |
//! |---|---|
//! | [`tableau`] | collocation methods from their nodes |
//! | [`newton`] | Newton's iteration to convergence |
//! | [`descriptor`] | steps of `E x' = f(t, x)` |
//! | [`mechanical`] | steps of constrained mechanical systems, rigid or elastic |
//! | [`adapter`] | the core's models as the reference solver takes them |

pub mod adapter;
pub mod descriptor;
pub mod mechanical;
pub mod newton;
pub mod tableau;

pub use adapter::{OfMechanism, OfModel};
pub use descriptor::Descriptor;
pub use mechanical::{Mechanism, Motion};
pub use newton::NoConvergence;
pub use tableau::Tableau;
