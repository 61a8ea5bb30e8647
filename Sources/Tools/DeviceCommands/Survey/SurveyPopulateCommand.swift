import ArgumentParser
import FHIR
import FormOperations
import Foundation
import Questionnaires
import Synchronization

extension SurveyCommand {
    struct Populate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "populate",
            abstract: "Answer a form from data; the QuestionnaireResponse in progress goes to standard output.",
            discussion: """
                The form specifies the answers, as in HL7's Structured Data Capture: by initial values and expressions, by \
                calculations, and by the latest Observations with the codes of its questions. Queries and Observations \
                search in the Bundle of --data. Problems go to standard error.

                Example:
                  tributary survey populate form.json --context patient=patient.json --data record.json
                """)
        @Argument(help: "The Questionnaire.") var form: String
        @Option(
            name: .customLong("context"),
            help: ArgumentHelp("The value of a launch context or a variable.", valueName: "name=file"))
        var contexts: [String] = []
        @Option(help: ArgumentHelp("A Bundle in which queries search.", valueName: "file")) var data: String?
        @Option(
            help: ArgumentHelp("The time of the population, such as 2026-03-01T09:00:00+01:00.", valueName: "time"))
        var now: String?
        @OptionGroup var options: FormOptions
        @Flag(help: "Print one JSON value (it always does).") var json = false

        func run() async throws {
            let moment = try SurveyCommand.moment(now) ?? .now()
            let form = try options.form(form)
            var context = try SurveyCommand.context(contexts, lenient: options.lenient)
            let resources = try data.map { try Self.resources($0, lenient: options.lenient) }
            let failures = QueryFailures()
            context.query = resources?.resolver(now: moment) { failures.add($0) }
            var session = FormSession(form, context: context, clock: { moment })
            let subject = Self.subject(context, resources)
            if let resources, let subject {
                let population = ObservationPopulation(resources.observations, subject: subject, authored: moment)
                let (answers, problems) = population.answers(of: form)
                for (path, value) in answers where session.answers(at: path).isEmpty {
                    session.setAnswers([value], at: path)
                }
                for problem in problems { CommandOutput.note(SurveyCommand.line(problem)) }
            }
            let response = session.response(status: .inProgress, subject: subject, authored: moment)
            for problem in failures.all { CommandOutput.note(SurveyCommand.line(problem)) }
            // Other problems are those of the person who completes the response.
            let problems = session.problems(status: .inProgress).filter { $0.code.hasPrefix("expression-") }
            for problem in problems { CommandOutput.note(SurveyCommand.line(problem, in: options.language)) }
            CommandOutput.result(response.json)
            if problems.contains(where: { $0.severity == .error }) { throw ExitCode(1) }
        }

        /// Returns the resources of a Bundle, or a single resource.
        private static func resources(_ path: String, lenient: Bool) throws -> QueriedResources {
            let resource = try CommandInput.resource(path, lenient: lenient)
            return resource.as(FHIR.Bundle.self).map { QueriedResources($0) } ?? QueriedResources([resource])
        }

        /// Returns a reference to the person: the launch context `patient`, or the only Patient in the data.
        private static func subject(_ context: FormContext, _ resources: QueriedResources?) -> String? {
            if let patient = context["patient"], let id = patient.id { return "\(patient.resourceType)/\(id)" }
            let people = resources?.ids(of: Patient.resourceType) ?? []
            return people.count == 1 ? "Patient/\(people[0])" : nil
        }
    }

    /// The problems of the queries of a session, each once.
    private final class QueryFailures: Sendable {
        private let problems = Mutex<[OperationProblem]>([])

        var all: [OperationProblem] { @inline(never) get { problems.withLock { $0 } } }

        @inline(never)
        func add(_ problem: OperationProblem) {
            problems.withLock { problems in
                if !problems.contains(problem), problems.count < 1_000 { problems.append(problem) }
            }
        }
    }
}
