import Core
import Enrolments
import FHIR
import Foundation
import HealthReport
import InformedConsent
import StudyOperations
import TributaryServer
import Wire

extension ParticipantPage {
    /// Creates the page of an export: consent, answers, measurements, other records, devices, accesses and the queue.
    init(
        of participant: String, at date: Date, _ content: ParticipantExportFiles.Gathered, forms: ReadableForms,
        devices: [DeviceBinding]
    ) {
        var rest = content.resources
        func take(_ type: String) -> [Resource] { rest.removeValue(forKey: type) ?? [] }
        let consents =
            take(Contract.resourceType).map(Self.consent) + take(FHIR.Consent.resourceType).map(Self.decision)
        let responses = take(QuestionnaireResponse.resourceType)
        let known = take(Device.resourceType)
        rest[Patient.resourceType] = nil
        var answers = responses.sorted { Self.authored($0) < Self.authored($1) }.map(forms.answers)
        if let note = Self.cut(responses.count, of: content.counts[QuestionnaireResponse.resourceType]) {
            answers.insert(.paragraph(note), at: 0)
        }
        var sections = [
            Section(id: "consent", title: "Consent", blocks: consents),
            Section(id: "answers", title: "Answers", blocks: answers),
            Section(
                id: "measurements", title: "Measurements",
                blocks: content.measurements.count == 0 ? [] : [.measurements(content.measurements)]),
        ]
        for (type, resources) in rest.sorted(by: { $0.key < $1.key }) {
            var blocks: [Block] = [
                .table(header: ["When", "What", "Content"], rows: resources.map { ReadableResource(resource: $0).row })
            ]
            if let note = Self.cut(resources.count, of: content.counts[type]) { blocks.insert(.paragraph(note), at: 0) }
            sections.append(
                Section(id: "type-" + type, title: ReadableResource.heading(of: type), blocks: blocks))
        }
        sections.append(Section(id: "devices", title: "Devices", blocks: Self.devices(known, devices)))
        if !content.permissions.isEmpty {
            sections.append(
                Section(
                    id: "permissions", title: "Access that you gave to apps",
                    blocks: [Self.permissions(content.permissions)]))
        }
        if !content.waiting.isEmpty {
            sections.append(Section(id: "waiting", title: "Not stored yet", blocks: Self.waiting(content.waiting)))
        }
        sections.append(
            Section(id: "accesses", title: "Who saw or changed your data", blocks: Self.accesses(content.accesses)))
        let days = content.measurements.days
        self.init(
            title: "Your data in this study",
            lead: "This page shows all data that the study stores about participant \(participant). "
                + "The files in the same folder hold every row.",
            summary: [
                ("Date of this page", ReadableResource.time(DateTime(date, milliseconds: false).text)),
                (
                    "Forms answered",
                    MeasurementNumber.count(content.counts[QuestionnaireResponse.resourceType] ?? 0)
                ),
                ("Measurements", MeasurementNumber.count(content.measurements.count)),
                ("Days", days.map { "\($0.lowerBound.text) to \($0.upperBound.text)" } ?? "–"),
            ], sections: sections)
    }

    private static func cut(_ shown: Int, of count: Int?) -> String? {
        guard let count, count > shown else { return nil }
        return "The first \(shown) of \(count). The file bundle.json holds all of them."
    }

    private static func authored(_ resource: Resource) -> String { resource.object["authored"]?.string ?? "" }

    // MARK: - Consent

    /// Returns a signed Contract with the text that was signed.
    private static func consent(_ resource: Resource) -> Block {
        let object = resource.object
        let template = try? ConsentTemplate(resource)
        let signature = object["signer"]?.array?.first?["signature"]?.array?.first
        var facts: [(name: String, value: String)] = []
        if let when = signature?["when"]?.string ?? object["issued"]?.string {
            facts.append(("Signed", ReadableResource.time(when)))
        }
        if let team = template?.teamName { facts.append(("Study team", team)) }
        if let sharing = (Contract(object).signer.lazy.compactMap { $0.extension(ConsentVocabulary.sharing) }.first)?
            .value?.json.bool
        {
            facts.append(("Sharing with other researchers", sharing ? "allowed" : "not allowed"))
        }
        let sections = (template?.sections ?? []).map { section in
            (
                title: section.title,
                paragraphs: [section.summary].compactMap { $0 }
                    + (section.htmlContent.map(HTMLText.paragraphs) ?? [])
            )
        }
        if sections.isEmpty { facts.append(("Text", "signed on paper, or not part of the record")) }
        return .document(
            title: object["title"]?.string ?? template?.title ?? "Signed consent", facts: facts, sections: sections)
    }

    /// Returns a Consent: a later decision, such as a withdrawal.
    private static func decision(_ resource: Resource) -> Block {
        let object = resource.object
        let isWithdrawal = object["status"]?.string == "inactive"
        var facts: [(name: String, value: String)] = []
        if let when = object["dateTime"]?.string { facts.append(("Date", ReadableResource.time(when))) }
        return .document(
            title: isWithdrawal ? "Withdrawal of the consent" : "Further consent", facts: facts, sections: [])
    }

    // MARK: - Permissions

    private static func permissions(_ permissions: [PermissionRecord]) -> Block {
        .table(
            header: ["From", "To", "App", "Access", "State"],
            rows: permissions.map { permission in
                let scope = permission.scope
                let types = scope.types == .all ? "all types" : scope.types.text
                return [
                    ReadableResource.time(permission.start.text), ReadableResource.time(permission.end.text),
                    permission.grantees.map(\.text).joined(separator: ", "),
                    "\(scope.access == .write ? "read and write" : "read"): \(types)", permission.status.rawValue,
                ]
            })
    }

    // MARK: - Devices, queue, accesses

    private static func devices(_ devices: [Resource], _ bindings: [DeviceBinding]) -> [Block] {
        var sentences = bindings.map { binding in
            let since = ReadableResource.time(DateTime(binding.since, milliseconds: false).text)
            guard let end = binding.endedAt else { return "An app on a phone sends data for you since \(since)." }
            return "An app on a phone sent data for you from \(since) to "
                + "\(ReadableResource.time(DateTime(end, milliseconds: false).text))."
        }
        for device in devices {
            let object = device.object
            let name =
                object["deviceName"]?.array?.first?["name"]?.string ?? ReadableResource.concept(object["type"])
                ?? "Device"
            var words = ["\(name)"]
            if let model = object["modelNumber"]?.string { words.append("model \(model)") }
            if let maker = object["manufacturer"]?.string { words.append("by \(maker)") }
            sentences.append("Measured by: " + words.joined(separator: ", ") + ".")
        }
        return sentences.map { .paragraph($0) }
    }

    private static func waiting(_ waiting: [ParticipantExport.Waiting]) -> [Block] {
        [
            .paragraph("The server received this data and has not stored it in your records."),
            .table(
                header: ["Received", "Status", "Content"],
                rows: waiting.map { entry in
                    let status: String =
                        switch entry.summary.status {
                        case .received: "is processed soon"
                        case .held: "is kept until your consent, or a link that belongs to it, arrives"
                        case .quarantined: "is checked by the study team"
                        case .stored: "is stored"
                        case .refused: "was refused"
                        }
                    let reason = entry.summary.reasonCode.map { " (\($0))" } ?? ""
                    return [
                        ReadableResource.time(DateTime(entry.summary.receivedAt, milliseconds: false).text),
                        status + reason, entry.isOpened ? "in bundle.json" : "sealed; the study's keys do not open it",
                    ]
                }),
        ]
    }

    private static func accesses(_ summary: AccessSummary) -> [Block] {
        guard !summary.rows.isEmpty else { return [] }
        var blocks: [Block] = [
            .paragraph(
                "Days are in UTC. The file accesses.csv holds every access with its time."
                    + (summary.isCut ? " The table has the newest ones." : "")),
            .table(header: ["Day", "Who", "What", "How often"], rows: summary.rows),
        ]
        if summary.isCut { blocks.append(.paragraph("Earlier accesses are in accesses.csv.")) }
        return blocks
    }
}
