extension Array {
    /// Grows the capacity by a quarter if the array is full. By default, arrays of millions of elements would double.
    package mutating func reserveForOneMore() {
        if count == capacity { reserveCapacity(count + count / 4 + 16) }
    }
}
