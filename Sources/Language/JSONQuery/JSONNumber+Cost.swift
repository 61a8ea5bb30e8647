import Core

extension JSONNumber {
    /// The steps that looking at the number's digits costs.
    var cost: Int { text.utf8.count / 16 }
}
