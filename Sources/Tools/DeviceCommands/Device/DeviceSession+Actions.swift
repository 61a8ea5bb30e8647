import AppleHealthExport
import Attachments
import ConsentDocument
import FHIR
import Foundation
import HealthData
import HealthStores
import HealthSync
import InformedConsent
import Outbox
import Questionnaires

extension DeviceSession {
    /// The result of signing the consent, with the queued submissions.
    package struct Signed {
        package let participant: String
        package let contract: String
        package let submissions: [String]
    }

    /// Checks eligibility, signs the consent, stores the signed document on the device, and queues the Contract and
    /// the Patient.
    ///
    /// - Parameters:
    ///   - moveCode: the study team's code for a participant with a new phone; it identifies the participant.
    ///   - invitation: the study team's code for a new participant.
    /// - Throws: `ConsentError` if the person is not eligible or the answers are insufficient. Then nothing is queued.
    @discardableResult
    package func sign(
        template: ConsentTemplate, answers: Data, name: String, signature: Data?, moveCode: ParticipantMoveCode? = nil,
        invitation: InvitationCode? = nil, now: Date
    ) throws -> Signed {
        let consentAnswers = try ConsentAnswers(try JSON(answers))
        let offset = DateTime.offsetMinutes(at: now)
        // A device belongs to one participant: the server binds them at the first contract.
        let earlier = try? profile()
        let signed = try ConsentSession(template: template, answers: consentAnswers).sign(
            .init(
                name: name, image: signature, now: now, offsetMinutes: offset, participant: earlier?.participant,
                moveCode: moveCode, invitation: invitation, deviceKey: try store.deviceKey()))
        // The document first: if it cannot be drawn, nothing has been queued.
        try store.save(try ConsentPDF.draw(signed.document), named: "consent-signed.pdf")
        try save(
            Profile(
                participant: signed.participant, contract: signed.contractID, template: template.canonical,
                signedAt: now,
                includedHealthData: template.includedHealthData.sorted()))
        let submissions = [try queue(signed.contract.resource), try queue(signed.patient.resource)]
        return Signed(participant: signed.participant, contract: signed.contractID, submissions: submissions)
    }

    /// Answers a form and queues the response.
    ///
    /// - Parameter path: the form's file; `-` if there is none.
    @discardableResult
    package func answer(form data: Data, path: String = "-", answers: Data, now: Date) throws -> String {
        let profile = try profile()
        let form = try FormFile.form(try Resource(data), path: path)
        let (response, problems) = form.answer(
            try JSON(answers), subject: "Patient/\(profile.participant)", authored: DateTime(now, in: .current))
        for problem in problems { CommandOutput.note(SurveyCommand.line(problem)) }
        guard !problems.contains(where: { $0.severity == .error }) else {
            throw CommandError("response-invalid", "The answers do not make a valid response; nothing was queued.")
        }
        return try queue(response.resource, attachments: AttachmentCleaning(asIs: form.attachmentsAsIs))
    }

    /// The result of exporting health data, with the queued submissions.
    package struct HealthResult {
        let importReport: HealthImportReport
        package let queued: Int
        let submissions: [String]
    }

    /// Maximum number of observations in one submission.
    private static let batchSize = 500

    /// Converts an Apple Health export and queues new data.
    ///
    /// - Throws: the errors of the choice: data that the signed consent does not name is refused.
    package func exportHealth(
        from path: String, _ choice: HealthChoice? = nil, now: Date
    ) async throws -> HealthResult {
        let profile = try profile()
        let followed = followedHealthData
        let study = HealthStudy(table: followed.table, naming: Set(profile.includedHealthData ?? []))
        var selection = try choice?.selection(for: study) ?? study.selection
        // The study decides which types are followed, whatever is requested.
        if let types = followed.selection(naming: []).types {
            selection.types = selection.types.map { $0.intersection(types) } ?? types
        }
        selection.subject = profile.participant
        // A night is computed from all its samples, but a device sends only new ones.
        if choice?.includes(.nights) == true {
            throw CommandError("nights-not-on-device", "Nights are summed up with `health load` or `health convert`.")
        }
        let lock = try await healthProgress.lock()
        defer { withExtendedLifetime(lock) {} }
        var seen = try SentHealthData(folder: store.folder)
        var batch: [UInt8] = []
        var count = 0
        var queued = 0
        var submissions: [String] = []
        func flush() throws {
            guard count > 0 else { return }
            submissions.append(try queue(lines: Data(batch), kind: Observation.resourceType))
            // They are recorded only now: after a kill in between, the batch is sent again with the same ids.
            try seen.commit()
            queued += count
            batch.removeAll(keepingCapacity: true)
            count = 0
        }
        func add(_ fingerprint: SampleFingerprint, id: String, write: (inout [UInt8]) -> Void) throws {
            write(&batch)
            batch.append(0x0A)
            seen.stage(fingerprint, id: id)
            count += 1
            if count == Self.batchSize { try flush() }
        }
        let importReport = try withoutActuallyEscaping(add) { add in
            let known = seen
            let sink = HealthSink(
                isKnown: { known.contains($0, id: $0.resourceID(subject: profile.participant)) },
                special: { record in
                    let lines = record.cleanResources.map { $0.bytes() }
                    try add(record.fingerprint, record.id) { $0.append(contentsOf: lines.joined(separator: [0x0A])) }
                },
                // A device is sent before its measurements.
                device: { device in
                    let resource = device.resource(subject: profile.participant)
                    submissions.append(try queue(lines: Data(resource.bytes() + [0x0A]), kind: "Device"))
                },
                observation: { observation in
                    try add(observation.fingerprint, observation.id) { observation.write(to: &$0) }
                })
            return try CommandInput.export(path).convert(selection, into: sink)
        }
        try flush()
        return HealthResult(importReport: importReport, queued: queued, submissions: submissions)
    }

    /// Queues the withdrawal of the consent, and deletes the progress of health data: no more data is read.
    @discardableResult
    package func withdraw(now: Date) async throws -> String {
        var profile = try profile()
        let offset = DateTime.offsetMinutes(at: now)
        let consent = ConsentWithdrawal.consent(
            id: UUID(), participant: profile.participant, contractID: profile.contract, policy: nil, now: now,
            offsetMinutes: offset)
        let submission = try queue(consent.resource)
        profile.withdrawnAt = now
        try save(profile)
        let progress = healthProgress
        let lock = try await progress.lock()
        defer { withExtendedLifetime(lock) {} }
        for stream in try await progress.streams() { try await progress.erase(stream) }
        return submission
    }

    /// Queues this device's report on itself, once a day.
    ///
    /// - Returns: whether the report was due.
    @discardableResult
    func reportHealthStreams(now: Date) async throws -> Bool {
        struct Reported: Codable { let at: Date }
        let name = "phone-report.json"
        let last = (try? store.value(Reported.self, named: name)) ?? nil
        if let last, (0..<Double(PhoneReport.interval)).contains(now.timeIntervalSince(last.at)) { return false }
        let progress = healthProgress
        let status = await HealthSyncStatus(of: try await progress.streams(), in: progress)
        let report = status.report(
            of: try profile().participant, store: HealthSyncTarget.outbox.name, isLowPower: false, now: now)
        try queue(report.resource)
        try store.save(Reported(at: now), named: name)
        return true
    }
}
