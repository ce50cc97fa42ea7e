//! Files of other programs: runs are written as USD and glTF, and meshes, curves and their animations read from them.
