import Consumer
import FHIR
import Foundation
import Storage

extension StudyFolder {
    /// The members of `study.json` that say where a store is.
    enum StoreMember: String { case queue, database }

    /// Says in `study.json` where a store is; all else in it stays as somebody wrote it.
    func setPlace(of member: StoreMember, to location: StoreLocation) throws {
        _ = try configuration()
        guard let data = try FileAccess.contents(of: configurationURL),
            var json = (try? JSON(data))?.object
        else { throw ServerError(code: "study-invalid", message: "study.json is no JSON object.") }
        json[member.rawValue] = .string(location.description)
        try PrivateFile.write(
            Data((JSON.object(json).text(.pretty) + "\n").utf8), to: configurationURL, permissions: 0o644)
    }
}
