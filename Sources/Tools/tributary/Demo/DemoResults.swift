import DeviceCommands
import FHIR
import Foundation
import HealthReport
import StudyFiles
import StudyOperations

/// The files that a kept demonstration leaves for people to look at.
struct DemoResults {
    /// The consent that a participant signed, as PDF.
    let consent: URL
    /// The plots of the participant's health data.
    let healthReport: URL
    /// The page with all data of the participant.
    let participantPage: URL

    /// Writes the files of one participant; the consent is in the folder of their phone since they signed it.
    ///
    /// - Parameter export: the participant's export of Apple Health.
    static func write(
        of person: DemoParticipant, export: URL, study: StudyFolder, in folder: URL
    ) async throws -> DemoResults {
        let results = folder.appendingPathComponent("results", isDirectory: true)
        let data = results.appendingPathComponent("participant-\(person.number)", isDirectory: true)
        try FileManager.default.createDirectory(
            at: results, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // 1. The health report.
        let report = results.appendingPathComponent("health-report.html")
        _ = try await HealthCommand.Report.write(
            HealthReportPage(since: nil, until: nil), of: export.path, to: report.path)
        // 2. The export of the participant.
        let participant = try DeviceSession(path: person.storePath).profile().participant
        try await StudyStores(study).withBoth { queue, records in
            let content = try await ParticipantExport(
                of: participant, folder: study, queue: queue, records: records, actor: .account)
            _ = try await ParticipantExportFiles(content, of: participant, folder: data.path, replaces: false)
                .write(at: Date())
        }
        return DemoResults(
            consent: URL(fileURLWithPath: person.storePath).appendingPathComponent("consent-signed.pdf"),
            healthReport: report, participantPage: data.appendingPathComponent("index.html"))
    }

    var json: JSON {
        [
            "consent": .string(consent.path), "healthReport": .string(healthReport.path),
            "participantPage": .string(participantPage.path),
        ]
    }
}
