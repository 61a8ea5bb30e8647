import AppleHealthExport
import ArgumentParser
import FHIR
import Foundation
import HealthData
import InformedConsent
import SleepNights
import Storage
import StudyFiles
import StudyOperations
import Warehouse

extension HealthCommand {
    package struct Load: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "load",
            abstract: "Load an export directly into a study's records and warehouse, for consent on paper.",
            discussion: """
                For a participant whose consent the site has on paper: no device, no envelope, no queue. With this \
                command the site declares that it has the consent. If none is recorded, a Contract signed on paper and \
                a Patient are recorded, with the date of --signed or the present time. A participant who has withdrawn \
                is refused unless --signed is later. --must-be-known refuses unknown participants, which detects a \
                mistyped id.

                Stored data is skipped: after an interruption, or for a later export, the same command adds only \
                missing data. `tributary warehouse undo` takes the printed submission.

                Example:
                  tributary health load study export.zip --participant p-0017 --signed 2026-03-02
                """)
        @Argument(help: "The study's folder.") package var dir: String
        @Argument(help: "The export: a folder, export.xml or export.zip.") package var export: String
        @Option(parsing: .unconditional, help: "The participant's Patient id.") package var participant: String
        @Option(help: "When the participant signed on paper.") package var signed: String?
        @Flag(help: "Refuse a participant whose consent is not on file.") var mustBeKnown = false
        @OptionGroup var choice: HealthChoice
        @Option(help: "The database, if it is not the study's own.") package var database: String?
        @Flag(
            help: """
                For a first load: drop the indexes of the store's own tables, and create them again at the end. No \
                other process should use the store meanwhile.
                """)
        var rebuildIndexes = false
        @Flag(help: "Print the summary as one JSON value.") package var json = false

        package func run() async throws {
            LargeAllocations.giveBack()
            let subject = participant.hasPrefix("Patient/") ? String(participant.dropFirst(8)) : participant
            let signedAt = try Self.instant(signed, "--signed")
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            var selection = try choice.selection(for: HealthStudy(folder))
            selection.subject = subject
            let digest = try ExportDigest.text(of: export)
            // Check that it is an export before anything is written or an index is dropped.
            try HealthExport(path: export).check()
            let opened = try await StudyStores(folder, database: database).openRecords(
                purpose: rebuildIndexes ? .filling : .loading)
            if rebuildIndexes { try await FirstLoad.begin(in: opened) } else { try await Self.makeIndexes(in: opened) }
            let health = HealthConceptTable(of: selection.table)
            try await StudyOntology(folder, health: health).write(to: opened, now: Date())
            let load = try await StudyHealthLoad(
                participant: subject, export: digest, account: NSUserName(), signedAt: signedAt,
                mustBeKnown: mustBeKnown,
                database: opened, clock: { Date() })
            if load.madeParticipant {
                CommandOutput.note("Recorded the consent on paper of \(subject), who is new to the study.")
            }
            let (importReport, rows) = try await Self.store(
                HealthExport(path: export), selection, nights: selection.inclusions.contains(.nights),
                identifyingData: study.identifyingDataHandling, health: health, into: load,
                size: rebuildIndexes ? .filling : .usual, progress: ProgressLine().show)
            try await Self.makeIndexes(in: opened)
            try await opened.analyzeGrownTables()
            try await opened.close()
            show(importReport, rows: rows, load: load)
            try ImportReportOutput.check(importReport)
        }

        private static func makeIndexes(in database: any SQLDatabase) async throws {
            try await FirstLoad.end(in: database) { CommandOutput.note("The index \($0) is made again.") }
        }

        /// Reads the export: while one batch is written, the next is converted.
        private static func store(
            _ export: HealthExport, _ selection: HealthSelection, nights: Bool,
            identifyingData: IdentifyingDataHandling, health: HealthConceptTable,
            into load: StudyHealthLoad, size: HealthBatch.Size, progress: (HealthProgress) -> Void
        ) async throws -> (HealthImportReport, HealthLoader.Report) {
            let making = BatchMaking(
                HealthBatchMaker(
                    receivedAt: load.receivedAt, identifyingData: identifyingData, health: health, size: size))
            let sink = HealthSink(
                counting: { making.counterKey = $0 },
                special: { made in
                    // The original of a converted clinical record is counted with it.
                    for (index, resource) in made.resources.enumerated()
                    where !making.maker.add(resource, countedAt: index == 0 ? making.counterKey : nil) {
                        making.refused += 1
                    }
                },
                device: { making.maker.add($0, subject: load.participant) },
                observation: { observation in
                    making.maker.add(observation, countedAt: making.counterKey)
                    making.addToNights(observation)
                })
            if nights { making.nights = HealthNights() }
            var importReport = try await export.convert(selection, into: sink) { reached in
                progress(reached)
                if making.maker.isWhole { try await load.store(making.maker.take()) }
            }
            for night in making.nights?.nights() ?? [] {
                _ = making.maker.add(night.observation(subject: load.participant).json)
                importReport.otherResources[HealthNight.Code.summary, default: [:]]["derived", default: 0] += 1
            }
            // The last batch, with data that needed the whole export.
            try await load.store(making.maker.take())
            var rows = try await load.finish()
            rows.refused += making.refused
            if making.maker.identifyingCount > 0 {
                CommandOutput.note(
                    """
                    \(making.maker.identifyingCount) resources were not stored: they contain identifying data \
                    (identifying-data); study.json can allow that such data is reduced (identifyingData).
                    """)
            }
            for (passed, times) in rows.repeats {
                importReport.recount(passed.counterKey, as: passed.reason, times: times)
            }
            return (importReport, rows)
        }

        private func show(_ importReport: HealthImportReport, rows: HealthLoader.Report, load: StudyHealthLoad) {
            guard json else {
                ImportReportOutput.show(importReport, json: false)
                CommandOutput.result(
                    """
                    stored \(rows.resources) resources with \(rows.facts) facts, \(rows.alreadyKnown) were there already \
                    (submission \(load.submissionID))
                    """)
                if rows.refused > 0 {
                    CommandOutput.note(
                        "\(rows.refused) resources were not stored: no id, an id that is taken, or identifying data."
                    )
                }
                return
            }
            var object = importReport.json.object ?? JSONObject()
            object["rows"] = [
                "resources": .number(JSONNumber(rows.resources)), "facts": .number(JSONNumber(rows.facts)),
                "alreadyKnown": .number(JSONNumber(rows.alreadyKnown)),
                "revised": .number(JSONNumber(rows.revised)),
                "devices": .number(JSONNumber(rows.devices)), "refused": .number(JSONNumber(rows.refused)),
            ]
            object["submission"] = .string(load.submissionID)
            CommandOutput.result(.object(object))
        }

        private static func instant(_ text: String?, _ option: String) throws -> DateTime? {
            guard let text else { return nil }
            guard let date = DateTime(text) else {
                throw ValidationError("\(option) takes a date such as 2026-01-31.")
            }
            return date
        }
    }
}

/// The batches of a conversion, which runs sequentially.
private final class BatchMaking {
    var maker: HealthBatchMaker
    var nights: HealthNights?
    /// The fingerprints of the samples of sleep in the nights, so that each counts once.
    private var asleep = FingerprintSet()
    /// The counter of the report that counts the next resource.
    var counterKey: HealthImportReport.CounterKey?
    /// The number of resources that are not Observations with an id, which the records do not accept.
    var refused = 0

    init(_ maker: HealthBatchMaker) { self.maker = maker }

    func addToNights(_ observation: HealthObservation) {
        guard nights != nil, observation.type.shortName == "SleepAnalysis",
            asleep.insert(observation.fingerprint.key)
        else { return }
        nights?.add(observation)
    }
}
