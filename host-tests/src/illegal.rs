//! Combinations of method and model that must not compile, each beside the words with which it does.
//!
//! Gauss ends at none of its stages and leaves a rigid joint. It says so, and what to write instead:
//!
//! ```compile_fail,E0277
//! # use stiffstep::prelude::*;
//! # use stiffstep_host_tests::pendulum::level;
//! # use stiffstep_plants::pendulum::RigidPendulum;
//! let pendulum = Simulation::new(RigidPendulum, Gauss::<3>, 0.01, level::<f64>())?;
//! # Ok::<(), Error>(())
//! ```
//!
//! ```
//! # use stiffstep::prelude::*;
//! # use stiffstep_host_tests::pendulum::level;
//! # use stiffstep_plants::pendulum::RigidPendulum;
//! let pendulum = Simulation::new(RigidPendulum, Projected(Gauss::<3>), 0.01, level::<f64>())?;
//! let pendulum = Simulation::new(RigidPendulum, Direct(Gauss::<3>), 0.01, level::<f64>())?;
//! let pendulum = Simulation::new(RigidPendulum, LobattoIIIA::<3>, 0.01, level::<f64>())?;
//! # Ok::<(), Error>(())
//! ```
//!
//! The elastic joint forgives:
//!
//! ```
//! # use stiffstep::prelude::*;
//! # use stiffstep_host_tests::pendulum::level;
//! # use stiffstep_plants::pendulum::StiffPendulum;
//! let model = StiffPendulum::new(1e-5);
//! let pendulum = Simulation::new(model, Gauss::<3>, 0.01, level::<f64>())?;
//! # Ok::<(), Error>(())
//! ```
//!
//! A method with a number of stages that is not offered is none:
//!
//! ```compile_fail,E0277
//! # use stiffstep::prelude::*;
//! # use stiffstep_host_tests::pendulum::level;
//! # use stiffstep_plants::pendulum::StiffPendulum;
//! let model = StiffPendulum::new(1e-5);
//! let pendulum = Simulation::new(model, LobattoIIIA::<6>, 0.01, level::<f64>())?;
//! # Ok::<(), Error>(())
//! ```
