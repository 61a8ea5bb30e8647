extension FormSession {
    /// A number that changes with the visible questions, and with the groups that have answers. While it is the same, the
    /// questions of a walk through the form are the same.
    package var shape: Int { state.shape }
}
