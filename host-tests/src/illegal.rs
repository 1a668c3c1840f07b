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
//!
//! Rigid joints do not ring: there is no slow manifold to project onto, and no step along it. Springs in their place have one:
//!
//! ```compile_fail,E0277
//! # use stiffstep::manifold::Ipa;
//! # use stiffstep::prelude::*;
//! # use stiffstep_host_tests::pendulum::level;
//! # use stiffstep_plants::pendulum::SpringLimit;
//! let (q, v) = level::<f64>();
//! Ipa::new(1e3).project(&SpringLimit, 0.0, &q, &v, &Vector::from([]))?;
//! # Ok::<(), Error>(())
//! ```
//!
//! ```compile_fail,E0277
//! # use stiffstep::manifold::Ipa;
//! # use stiffstep::prelude::*;
//! # use stiffstep_host_tests::pendulum::level;
//! # use stiffstep_plants::pendulum::SpringLimit;
//! let method = RungeKutta4Ipa(Ipa::new(1e3));
//! let pendulum = Simulation::new(SpringLimit, method, 0.01, level::<f64>())?;
//! # Ok::<(), Error>(())
//! ```
//!
//! ```
//! # use stiffstep::manifold::Ipa;
//! # use stiffstep_host_tests::experiments::ariel::Sprung;
//! # use stiffstep::prelude::*;
//! # use stiffstep_host_tests::pendulum::level;
//! # use stiffstep_plants::pendulum::SpringLimit;
//! let (q, v) = level::<f64>();
//! let springs = Sprung { model: &SpringLimit, stiffness: [1e6] };
//! Ipa::new(1e3).project(&springs, 0.0, &q, &v, &Vector::from([]))?;
//! let pendulum = Simulation::new(springs, RungeKutta4Ipa(Ipa::new(1e3)), 0.01, (q, v))?;
//! # Ok::<(), Error>(())
//! ```
