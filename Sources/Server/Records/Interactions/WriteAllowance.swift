import FHIR
import Synchronization

/// What the writes of one request may cost together: the entries of a Bundle share it.
final class WriteAllowance: Sendable {
    private struct Left {
        var patchBytes: Int
        var steps: Int
        var storedBytes: Int
    }

    /// Time for one patch. Its steps end far sooner, except on a machine that has no time for them.
    private static let patchTime: Duration = .seconds(10)
    /// How many resources of the maximum size patches and replaced references may make in one Bundle.
    private static let resources = 4

    /// The limit on a stored resource.
    let maximumBytes: Int
    private let left: Mutex<Left>

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        left = Mutex(
            Left(
                patchBytes: Self.resources * max(maximumBytes, PatchBudget.standardBytes / Self.resources),
                steps: 2 * PatchBudget.standardSteps, storedBytes: Self.resources * maximumBytes))
    }

    /// Applies a patch within what is left.
    ///
    /// - Throws: ``PatchError``
    @inline(never)
    func apply(_ patch: ResourcePatch, to resource: Resource) throws(PatchError) -> Resource {
        // One task after the other patches the resources of a request.
        let (bytes, steps) = left.withLock { ($0.patchBytes, $0.steps) }
        var budget = PatchBudget(bytes: bytes, steps: StepBudget(steps: steps, deadline: .now + Self.patchTime))
        defer {
            left.withLock { left in
                left.patchBytes = max(0, budget.bytes)
                left.steps = budget.steps.remaining
            }
        }
        return try patch.applied(to: resource, maximumBytes: maximumBytes, &budget)
    }

    /// Checks the size of a resource that is not as it was sent: a patch made it, or references in it were replaced.
    ///
    /// - Throws: ``RecordsFailure``
    @inline(never)
    func take(_ resource: Resource) throws(RecordsFailure) {
        guard let bytes = resource.json.byteCount(upTo: maximumBytes) else { throw .resourceTooLarge }
        let isLeft = left.withLock { left in
            left.storedBytes -= bytes
            return left.storedBytes >= 0
        }
        guard isLeft else { throw .bundleTooLarge }
    }
}

/// What one request may cost: the entries of a Bundle share it.
struct RequestAllowance: Sendable {
    /// The time to look for what is asked for.
    let time: SearchTime
    let writes: WriteAllowance

    init(_ time: SearchTime, maximumBytes: Int) {
        self.time = time
        writes = WriteAllowance(maximumBytes: maximumBytes)
    }
}
