import Core

extension JSONNumber {
    /// Number of steps for reading the number's digits.
    var cost: Int { text.utf8.count / 16 }
}
