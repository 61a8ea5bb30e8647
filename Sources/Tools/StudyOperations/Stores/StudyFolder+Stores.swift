import FHIR
import Foundation
import Storage
import StudyFiles
import StudyKeys

extension StudyFolder {
    /// The members of `study.json` for the locations of stores.
    enum StoreMember: String { case queue, database, people }

    /// Changes the location of a store in `study.json`, and keeps all other content as written.
    func setLocation(of member: StoreMember, to location: StoreLocation) throws {
        _ = try configuration()
        guard let data = try FileAccess.contents(of: configurationURL),
            var json = (try? JSON(data))?.object
        else { throw ServerError(code: "study-invalid", message: "study.json is no JSON object.") }
        json[member.rawValue] = .string(location.description)
        try PrivateFile.write(
            Data((JSON.object(json).text(.pretty) + "\n").utf8), to: configurationURL, permissions: 0o644)
    }
}
