import AccessPolicy
import Accounts
import DeviceCommands
import Foundation
import StudyFiles
import StudyOperations

/// The care plan of the demonstration: two phones of one person, and a doctor whose account the study team creates.
enum DemoCarePlan {
    static func play(in study: StudyFolder, root: URL, url: String, antispam: String) async throws
        -> CareDemonstration.Result
    {
        // 1. The study team creates the doctor's account and role. The code for the password arrives by mail.
        let email = CareDemonstration.emails.doctor
        try await StudyStores(study).withPeople { people in
            let account = try await people.create(email: email, group: nil, by: .account)
            _ = try await people.grant(.careTeam, to: account, group: "main", until: nil, by: .account)
        }
        let code = try await code(in: study.mailURL, email: email)
        CommandOutput.note("care       a doctor has an account with the role care-team")
        // 2. The people act.
        return try await CareDemonstration(url: url, antispam: antispam, folder: root).play(code: code)
    }

    /// Waits for the mail to an address, and returns its code.
    private static func code(in folder: URL, email: String) async throws -> String {
        let deadline = Date().addingTimeInterval(60)
        while Date() < deadline {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names where name.hasSuffix(".eml") {
                let mail = folder.appendingPathComponent(name)
                guard let text = try? String(contentsOf: mail, encoding: .utf8), text.contains("<\(email)>") else {
                    continue
                }
                let lines = text.split(whereSeparator: \.isNewline)
                if let line = lines.first(where: { $0.hasPrefix("Code: ") }) { return String(line.dropFirst(6)) }
            }
            try await _Concurrency.Task.sleep(for: .milliseconds(50))
        }
        throw CommandError("demo-too-slow", "The mail to the doctor did not arrive within a minute.")
    }
}
