// Without FHIR: `@Observable` writes the name of its module, Observation, and FHIR has a type of that name.
import Foundation
import InformedConsent
import Observation
import Outbox

/// The state of the app's screens, and what their buttons do.
@MainActor @Observable final class StudyModel {
    /// The screen to show.
    enum Phase: Sendable, Hashable {
        case joining
        case consenting
        case participating
    }

    /// One submission on the status screen.
    struct Submission: Sendable, Identifiable {
        let id: Int64
        let kind: String
        let state: String
    }

    /// The screen to show.
    private(set) var phase: Phase
    /// The consent to show; nil until it is fetched.
    private(set) var template: ConsentTemplate?
    /// The study's forms, without answers.
    private(set) var sheets: [AnswerSheet] = []
    /// The submissions of this phone, the newest first.
    private(set) var submissions: [Submission] = []
    /// The sentence about the last error; nil if there is none to show.
    private(set) var message: String?
    /// Whether a call is in progress.
    private(set) var isWorking = false
    /// Whether HealthKit is followed.
    private(set) var followsHealth = false

    private let device: StudyDevice
    private let health: HealthFollower
    private let languages: [String]

    /// Creates the state of this phone.
    init(device: StudyDevice, languages: [String] = Locale.preferredLanguages) {
        self.device = device
        self.languages = languages
        health = HealthFollower(device)
        phase = !device.isEnrolled ? .joining : device.participant == nil ? .consenting : .participating
    }

    /// Enrols the phone, and fetches the consent.
    func join(_ study: StudyAddress, receipt: String) async {
        await perform {
            try await device.join(study, receipt: receipt)
            phase = .consenting
        }
        await loadConsent()
    }

    /// Fetches the consent if it is to be shown.
    func loadConsent() async {
        guard phase == .consenting, template == nil else { return }
        await perform { template = try await device.consent(languages: languages) }
    }

    /// Signs the consent, sends it, and fetches the forms.
    func sign(answers: ConsentAnswers, name: String) async {
        await perform {
            guard let template else { throw StudyAppError.consentMissing }
            try device.sign(template, answers: answers, name: name)
            phase = .participating
        }
        guard phase == .participating else { return }
        await refresh()
    }

    /// Sends what is queued and fetches the forms. Without network the forms of the last time are shown.
    func refresh() async {
        guard phase == .participating else { return }
        await perform {
            sheets = try device.savedForms().map { AnswerSheet($0) }
            _ = try await device.connection().synchronize(device.store)
            sheets = try await device.fetchForms().map { AnswerSheet($0) }
        }
    }

    /// Queues the answers and sends them. Returns whether they are queued.
    func submit(_ sheet: AnswerSheet) async -> Bool {
        guard sheet.canBeSent, await perform({ try device.queue(sheet.session) }) else { return false }
        await perform { _ = try await device.connection().synchronize(device.store) }
        return true
    }

    /// Follows HealthKit from now on.
    func followHealth() async {
        await perform { followsHealth = try await health.start() }
    }

    /// Shows the states of all submissions until the task is cancelled, which the screen does when it disappears.
    func watchSubmissions() async {
        await perform(isShown: false) {
            let updates = try device.connection().deliveries(of: device.store, until: .never)
            var states: [OutboxEntry: SubmissionDelivery.State] = [:]
            for try await changes in updates.batches {
                for delivery in changes { states[delivery.entry] = delivery.state }
                submissions = states.sorted { $1.key < $0.key }.map { entry, state in
                    Submission(id: entry.sequence, kind: entry.kind, state: Self.text(of: state))
                }
            }
        }
    }

    private static func text(of state: SubmissionDelivery.State) -> String {
        switch state {
        case .stored: "with the study"
        case .waiting: "on its way"
        case .held(let code): "waits (\(code ?? "the study decides later"))"
        case .refused(let code): "refused (\(code))"
        }
    }

    /// Does one thing, and keeps the sentence about its error.
    @discardableResult
    private func perform(isShown: Bool = true, _ work: () async throws -> Void) async -> Bool {
        if isShown { (isWorking, message) = (true, nil) }
        defer { if isShown { isWorking = false } }
        do {
            try await work()
            return true
        } catch {
            message = ErrorSentence.text(for: error)
            return false
        }
    }
}
