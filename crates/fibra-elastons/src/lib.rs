//! Elastons: rods, shells and solids in one meshless method that never asks which of them something is [Martin2010].
//!
//! | module | holds |
//! |---|---|
//! | [`cloud`] | the material: points with a radius, a volume and an extent |
//! | [`fill`] | clouds made from cuboids, solids, sheets and wires |
//! | [`connectivity`] | what hangs together |
//! | [`sampling`] | where samples and elastons are |
//! | [`elaston`] | small cuboids at which strain is measured |
//! | [`support`] | how far samples reach |
//! | [`matter`] | the rest state made from clouds |
//! | [`point_tree`] | who is near whom |
//! | [`symmetric_eigen`] | principal axes in full precision |
//! | [`gmls`] | shape functions on scattered samples, with gradients and Hessians |
//! | [`table`] | shape functions tabulated at places, and sums over them |
//! | [`law`] | strains of an elaston, their stress and energy |
//! | [`linear`] | the matrix of a step, its factor, conjugate gradients |
//! | [`world`] | what a run consists of |
//! | [`discretization`] | the rest state tabulated |
//! | [`equations`] | the linear equations of a step, as products and as a matrix |
//! | [`response`] | how loads follow from readings, and what that gives in the matrix |
//! | [`forces`] | what drives a step |
//! | [`contacts`], [`ball_pairs`] | balls against colliders and each other |
//! | [`cutting`] | what blades part |
//! | [`plasticity`] | strain that becomes permanent |
//! | [`resampling`] | sampling anew while running, and merging |
//! | [`refinement`] | pieces and surfaces kept fine where material is drawn out |
//! | [`momentum`] | momentum kept through steps and through changes of the rest state |
//! | [`measures`] | mass, momentum, energy |
//! | [`state_file`] | what a checkpoint holds |
//! | [`statics`] | bodies in equilibrium |
//! | [`step`](mod@step), [`workspace`] | one step, and what is kept at hand for it |

mod ball_cloud;
pub mod ball_pairs;
pub mod cloud;
pub mod connectivity;
pub mod contacts;
pub mod cutting;
pub mod discretization;
pub mod elaston;
pub mod equations;
pub mod fill;
pub mod forces;
pub mod gmls;
pub mod law;
pub mod linear;
pub mod matter;
pub mod measures;
pub mod momentum;
pub mod plasticity;
pub mod point_tree;
pub mod refinement;
pub mod resampling;
pub mod response;
pub mod sampling;
pub mod state_file;
pub mod statics;
pub mod step;
pub mod support;
pub mod symmetric_eigen;
pub mod table;
pub mod workspace;
pub mod world;
