import ArgumentParser
import FHIR
import Foundation
import HealthData
import InformedConsent
import TributaryServer

extension StudyCommand {
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Look into a study's folder: study.json, consents, forms, the study's own health types.",
            discussion: "The first fault ends it with exit status 1.\n\nExample:\n  tributary study check study")
        @Argument(help: "The study's folder.") var dir: String
        @Flag(help: "Print one JSON value.") var json = false

        func run() async throws {
            let folder = StudyFolder(path: dir)
            let study = try folder.configuration()
            let contracts = folder.resources(in: folder.consentURL, ofType: Contract.resourceType)
            for contract in contracts {
                let template = try ConsentTemplate(contract.resource)
                for name in template.includedHealthData.sorted()
                where HealthSelection.Inclusion(rawValue: name)?.needsConsent != true {
                    throw CommandError(
                        "consent-inclusion-unknown",
                        "consent/\(contract.file.lastPathComponent) names health data that there is none of; use \(Self.known)."
                    )
                }
            }
            let forms = folder.resources(in: folder.questionnairesURL, ofType: Questionnaire.resourceType)
            let health = try HealthStudy(folder)
            let own = try folder.healthTypes()?["types"]?.array?.compactMap { $0["identifier"]?.string }.sorted() ?? []
            let inclusions = health.inclusions.map(\.rawValue).sorted()
            if json {
                CommandOutput.result([
                    "study": .string(study.id), "consents": .number(JSONNumber(contracts.count)),
                    "forms": .number(JSONNumber(forms.count)),
                    "healthTypes": .array(own.map { .string($0) }),
                    "includedHealthData": .array(inclusions.map { .string($0) }),
                ])
            } else {
                CommandOutput.result(
                    """
                    \(study.id): \(contracts.count) consents, \(forms.count) forms
                    health types added or changed: \(own.isEmpty ? "none" : own.joined(separator: ", "))
                    health data that the consent names: \(inclusions.isEmpty ? "none" : inclusions.joined(separator: ", "))
                    """)
            }
        }

        private static var known: String {
            HealthSelection.Inclusion.allCases.filter(\.needsConsent).map(\.rawValue).joined(separator: ", ")
        }
    }
}
