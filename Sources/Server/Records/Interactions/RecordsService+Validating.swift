import Core
import FHIR
import Foundation
import Trust

extension RecordsService {
    /// Says whether a resource could be stored, by the rules that hold for one that is written
    /// (<https://hl7.org/fhir/R4/resource-operation-validate.html>). Nothing is stored.
    ///
    /// - Throws: ``RecordsFailure`` where the grant neither reads nor writes the type.
    func validate(_ resource: Resource, as type: String, by grant: AccessGrant) async throws -> OperationOutcome {
        let now = clock()
        let allowed = [RecordInteraction.create, .update, .read].contains {
            access.policy.decide(grant, $0, type: type, at: now).isPermitted
        }
        guard allowed else { throw RecordsFailure.forbidden }
        guard resource.resourceType == type else { return Self.outcome(of: .otherType) }
        let id = resource.id ?? newID().lowercaseText
        guard Resource.isID(id) else { return Self.outcome(of: .idInvalid) }
        let session = await admission?.begin(at: now)
        do throws(RecordAdmissionError) {
            _ = try session?.admit(resource.stored(as: id), id: id)
        } catch {
            return Self.outcome(of: RecordsFailure(error))
        }
        return OperationOutcome(
            severity: .information, code: .informational, detail: "valid",
            diagnostics: "The resource follows the rules that hold here.")
    }

    private static func outcome(of failure: RecordsFailure) -> OperationOutcome {
        OperationOutcome(code: failure.issue, detail: failure.code, diagnostics: failure.message)
    }
}
