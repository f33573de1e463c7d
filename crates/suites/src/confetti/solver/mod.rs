//! CONFETTI: every call and every reply is asked for with the right conversation before it, or the model runs on by itself.

mod asking;
mod episode;
mod place;
mod scene;

pub use asking::{Dialogs, Policy};
pub use place::Place;
pub use scene::Scenes;
