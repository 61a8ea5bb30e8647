extension Array {
    /// Makes room by a quarter more at a time where there is none: arrays of millions would double.
    package mutating func reserveForOneMore() {
        if count == capacity { reserveCapacity(count + count / 4 + 16) }
    }
}
