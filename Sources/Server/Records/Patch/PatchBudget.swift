import Core
import FHIR

/// What the patches of one request may still cost.
struct PatchBudget {
    /// Bytes that they may still copy, insert and compare.
    var bytes: Int
    /// Steps of the evaluation of paths, with the deadline of the request.
    let steps: StepBudget

    /// A budget for one patch of a resource of standard size.
    static var standard: PatchBudget {
        PatchBudget(bytes: standardBytes, steps: StepBudget(steps: standardSteps))
    }

    static let standardBytes = 16 << 20
    static let standardSteps = 250_000

    /// Takes the bytes of a value that goes to a path: it must not be too much, nor lie deeper than JSON is read, for it
    /// would be stored and never read again.
    ///
    /// - Returns: whether they were left.
    mutating func spend(on value: JSON, depth: Int) -> Bool {
        guard let size = value.patchSize(upTo: bytes), depth + size.nesting <= JSON.maximumDepth else { return false }
        bytes -= size.bytes
        return true
    }

    /// Takes a number of bytes.
    ///
    /// - Returns: whether they were left.
    mutating func spend(bytes count: Int) -> Bool {
        bytes -= count
        return bytes >= 0
    }
}
