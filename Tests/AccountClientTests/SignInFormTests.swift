import AccountClient
import Core
import Foundation
import HTTPTransport
import ResearchResults
import TestSupport
import Testing

@Suite struct SignInFormTests {
    typealias Event = SignInForm.Event
    typealias Effect = SignInForm.Effect

    static let wrong = SignInForm.Problem(CMHealthError.invalidCredentials)
    static let filled: [Event] = [.edited(.email, "ann@example.org"), .edited(.password, "good password")]
    static let signIn = Effect.signIn(email: "ann@example.org", password: "good password")

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let events: [Event]
        let effects: [Effect]
        let phase: SignInForm.Phase
        var problem: String?
        var fields: [SignInForm.Field: String] = [:]

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "nothing", events: [], effects: [], phase: .editing),
        Row(
            name: "empty", events: [.submitted], effects: [], phase: .editing,
            fields: [.email: "email-invalid", .password: "credentials-wrong"]),
        Row(
            name: "address without a domain",
            events: [.edited(.email, "ann@example"), .edited(.password, "p"), .submitted], effects: [],
            phase: .editing, fields: [.email: "email-invalid"]),
        Row(
            name: "a correction removes the problem of its field", events: [.submitted, .edited(.email, "a")],
            effects: [], phase: .editing, fields: [.password: "credentials-wrong"]),
        Row(name: "signing in", events: filled + [.submitted], effects: [signIn], phase: .signingIn),
        Row(
            name: "signed in", events: filled + [.submitted, .signedIn], effects: [signIn, .report(.signedIn)],
            phase: .finished),
        Row(
            name: "failed", events: filled + [.submitted, .failed(wrong)],
            effects: [signIn, .report(.failed(wrong))], phase: .editing, problem: "credentials-wrong"),
        Row(
            name: "failed, then signed in", events: filled + [.submitted, .failed(wrong), .submitted, .signedIn],
            effects: [signIn, .report(.failed(wrong)), signIn, .report(.signedIn)], phase: .finished),
        Row(name: "cancelled", events: [.cancelled], effects: [.report(.cancelled)], phase: .finished),
        Row(
            name: "cancelled while signing in", events: filled + [.submitted, .cancelled, .signedIn],
            effects: [signIn, .report(.cancelled)], phase: .finished),
        Row(
            name: "no edit while signing in", events: filled + [.submitted, .edited(.email, "x"), .submitted],
            effects: [signIn], phase: .signingIn),
        Row(name: "forgot password", events: [.forgotPassword], effects: [], phase: .resetting),
        Row(
            name: "a reset needs an address", events: [.forgotPassword, .submitted], effects: [], phase: .resetting,
            fields: [.email: "email-invalid"]),
        Row(
            name: "a reset needs no password",
            events: [.edited(.email, "ann@example.org"), .forgotPassword, .submitted],
            effects: [.requestReset(email: "ann@example.org")], phase: .sendingReset),
        Row(
            name: "reset sent", events: [filled[0], .forgotPassword, .submitted, .resetRequested],
            effects: [.requestReset(email: "ann@example.org")], phase: .resetSent),
        Row(
            name: "reset failed", events: [filled[0], .forgotPassword, .submitted, .failed(wrong)],
            effects: [.requestReset(email: "ann@example.org")], phase: .resetting, problem: "credentials-wrong"),
        Row(
            name: "returned from a reset", events: filled + [.forgotPassword, .returned, .submitted],
            effects: [signIn], phase: .signingIn),
        Row(
            name: "returned after the mail",
            events: filled + [.forgotPassword, .submitted, .resetRequested, .returned],
            effects: [.requestReset(email: "ann@example.org")], phase: .editing),
        Row(
            name: "events of other states", events: [.signedIn, .resetRequested, .returned, .failed(wrong)],
            effects: [], phase: .editing),
        Row(
            name: "nothing after the end", events: [.cancelled, .cancelled, .submitted, .forgotPassword],
            effects: [.report(.cancelled)], phase: .finished),
    ]

    @Test(arguments: rows) func theFormFollowsTheTable(row: Row) {
        var form = SignInForm()
        #expect(row.events.compactMap { form.handle($0) } == row.effects)
        #expect(form.phase == row.phase)
        #expect(form.problem?.code == row.problem)
        #expect(form.fieldProblems.mapValues(\.code) == row.fields)
        #expect(form.phase != .finished || form.password.isEmpty)
    }

    @Test func completeFieldsEnableTheSubmission() {
        var form = SignInForm(email: "ann@example.org")
        #expect(!form.isComplete)
        _ = form.handle(.edited(.password, "p"))
        #expect(form.isComplete && !form.isBusy)
        _ = form.handle(.submitted)
        #expect(!form.isComplete && form.isBusy)
    }

    @Test func aVeryLongTextIsNotTaken() {
        let long = String(repeating: "a", count: 2_000)
        var form = SignInForm(email: long)
        _ = form.handle(.edited(.password, long))
        #expect(form.email.isEmpty && form.password.isEmpty)
    }

    @Test func aProblemHasTheNumberAndTheSentenceOfItsError() {
        struct Other: Error {}
        #expect(SignInForm.Problem(EmailAddressError()).cmhealth == .invalidUserRequest)
        #expect(SignInForm.Problem(Other()).code == "unknown-error")
        #expect(SignInForm.Problem(Other()).cmhealth.number == 800)
    }

    /// Random events: a finished form stays finished, and effects come only from their states.
    @Test func randomEventsKeepTheRules() {
        var random = Seeded.fresh()
        let events: [Event] =
            Self.filled + [
                .submitted, .forgotPassword, .returned, .cancelled, .signedIn, .resetRequested, .failed(Self.wrong),
                .edited(.email, ""),
            ]
        for _ in 0..<500 {
            var form = SignInForm()
            for _ in 0..<30 {
                let before = form
                let effect = form.handle(events.randomElement(using: &random) ?? .cancelled)
                if before.phase == .finished { #expect(form == before && effect == nil) }
                if case .signIn? = effect { #expect(before.isComplete && before.phase == .editing) }
                if case .requestReset? = effect { #expect(before.isComplete && before.phase == .resetting) }
                if form.phase == .signingIn || form.phase == .sendingReset { #expect(form.isBusy) }
            }
        }
    }

    /// The form with a client: wrong password, a new one by mail, signed in.
    @Test func theFormSignsInWithAClient() async throws {
        let phone = try AccountFixture()
        _ = try await phone.member()
        let client = try phone.client("other")
        func perform(_ effect: Effect?, _ form: inout SignInForm) async -> Effect? {
            do {
                switch effect {
                case .signIn(let email, let password)?:
                    try await client.login(email: email, password: password)
                    return form.handle(.signedIn)
                case .requestReset(let email)?:
                    try await client.requestPasswordReset(email: email)
                    return form.handle(.resetRequested)
                default: return effect
                }
            } catch { return form.handle(.failed(SignInForm.Problem(error))) }
        }
        var form = SignInForm(email: "ann@example.org")
        _ = form.handle(.edited(.password, "bad password"))
        let failed = await perform(form.handle(.submitted), &form)
        #expect(failed == .report(.failed(try #require(form.problem))) && form.problem?.cmhealth.number == 710)
        _ = form.handle(.forgotPassword)
        _ = await perform(form.handle(.submitted), &form)
        #expect(form.phase == .resetSent)
        let code = try #require(await phone.model.account("ann@example.org")?.code)
        try await client.resetPassword(code: code, newPassword: "new password")
        _ = form.handle(.returned)
        _ = form.handle(.edited(.password, "new password"))
        #expect(await perform(form.handle(.submitted), &form) == .report(.signedIn))
        #expect(await client.state.holder != nil)
    }
}
