import FHIR
import FHIRHTTP
import FHIRPatch
import SearchStatements
import Synchronization

/// The limits on the writes of one request; the entries of a Bundle share them.
final class WriteAllowance: Sendable {
    private struct Left {
        var patchBytes: Int
        var steps: Int
        var storedBytes: Int
    }

    /// Maximum time of one patch. Its steps usually end far sooner, except on an overloaded machine.
    private static let patchTime: Duration = .seconds(10)
    /// Maximum number of resources of the maximum size that patches and replaced references may produce in one Bundle.
    private static let resources = 4

    /// The maximum size of a stored resource.
    let maximumBytes: Int
    private let left: Mutex<Left>

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        left = Mutex(
            Left(
                patchBytes: Self.resources * max(maximumBytes, PatchBudget.standardBytes / Self.resources),
                steps: 2 * PatchBudget.standardSteps, storedBytes: Self.resources * maximumBytes))
    }

    /// Applies a patch within the remaining limits.
    ///
    /// - Throws: ``PatchError``
    @inline(never)
    func apply(_ patch: ResourcePatch, to resource: Resource) throws(PatchError) -> Resource {
        // The resources of a request are patched one after the other.
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

    /// Checks the size of a resource that differs from the request, because of a patch or of replaced references.
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

/// The limits of one request; the entries of a Bundle share them.
struct RequestAllowance: Sendable {
    /// The time for its searches.
    let time: SearchDeadline
    let writes: WriteAllowance

    init(_ time: SearchDeadline, maximumBytes: Int) {
        self.time = time
        writes = WriteAllowance(maximumBytes: maximumBytes)
    }
}
