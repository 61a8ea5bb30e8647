import Core
import FHIR

/// The costs that the patches of one request may still have.
package struct PatchBudget {
    /// The bytes that they may still copy, insert and compare.
    package var bytes: Int
    /// The steps of the evaluation of paths, with the deadline of the request.
    package let steps: StepBudget

    /// Creates the value from its parts.
    package init(bytes: Int, steps: StepBudget) {
        self.bytes = bytes
        self.steps = steps
    }

    /// A budget for one patch of a resource of standard size.
    package static var standard: PatchBudget {
        PatchBudget(bytes: standardBytes, steps: StepBudget(steps: standardSteps))
    }

    package static let standardBytes = 16 << 20
    package static let standardSteps = 250_000

    /// Takes the bytes of a value for a path. The value must fit, and must not be nested more deeply than JSON is read:
    /// it would be stored and never be readable.
    ///
    /// - Returns: whether they were left.
    package mutating func spend(on value: JSON, depth: Int) -> Bool {
        guard let size = value.patchSize(upTo: bytes), depth + size.nesting <= JSON.maximumDepth else { return false }
        bytes -= size.bytes
        return true
    }

    /// Takes a number of bytes.
    ///
    /// - Returns: whether they were left.
    package mutating func spend(bytes count: Int) -> Bool {
        bytes -= count
        return bytes >= 0
    }
}
