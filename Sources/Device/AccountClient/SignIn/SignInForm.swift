import Core
import ResearchResults

/// A form to sign in, as a value without a view (CMHealth: `CMHLoginViewController`): the fields, their checks, and the
/// request for a new password.
///
/// ```swift
/// var form = SignInForm()
/// _ = form.handle(.edited(.email, "ann@example.org"))
/// _ = form.handle(.edited(.password, password))
/// if case .signIn(let email, let password)? = form.handle(.submitted) {
///     do {
///         try await client.login(email: email, password: password)
///         _ = form.handle(.signedIn)
///     } catch { _ = form.handle(.failed(SignInForm.Problem(error))) }
/// }
/// ```
/// Each event changes the state and returns the effect that the caller performs. An event that does not belong to the
/// state changes nothing. ``SignInView`` is a view of it.
///
/// ```
/// editing ─► signingIn ─► finished          finished: cancelled or signed in
///    │ ▲         │
///    │ └─────────┘ failed
///    ▼
/// resetting ─► sendingReset ─► resetSent ─► editing
/// ```
public struct SignInForm: Sendable, Hashable {
    /// A field.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// The e-mail address, also for a new password.
        case email
        /// The password.
        case password
    }

    /// The state of the form.
    public enum Phase: Sendable, Hashable {
        /// The person enters address and password.
        case editing
        /// The login is in progress.
        case signingIn
        /// The person enters the address for a new password.
        case resetting
        /// The request for a new password is in progress.
        case sendingReset
        /// The server has received the request. It sends a mail if an account has the address.
        case resetSent
        /// The form is closed.
        case finished
    }

    /// An event that the form handles.
    public enum Event: Sendable, Hashable {
        /// The person changed the text of a field.
        case edited(Field, String)
        /// The person chose to sign in, or to request a new password.
        case submitted
        /// The person has forgotten the password.
        case forgotPassword
        /// The person returns from the request for a new password.
        case returned
        /// The person closed the form.
        case cancelled
        /// The login succeeded.
        case signedIn
        /// The request for a new password succeeded.
        case resetRequested
        /// The request in progress failed.
        case failed(Problem)
    }

    /// The effect of an event.
    public enum Effect: Sendable, Hashable {
        /// Sign in with ``AccountClient/login(email:password:)``.
        case signIn(email: String, password: String)
        /// Call ``AccountClient/requestPasswordReset(email:)``.
        case requestReset(email: String)
        /// Pass the outcome to the app. After ``Outcome/cancelled``, end a request in progress.
        case report(Outcome)
    }

    /// The outcome for the app (CMHealth: the calls of `loginDelegate`).
    public enum Outcome: Sendable, Hashable {
        /// The person closed the form.
        case cancelled
        /// The account is signed in.
        case signedIn
        /// The login failed. The form stays open for another attempt.
        case failed(Problem)
    }

    /// The reason why a field is refused or a request failed.
    public struct Problem: Sendable, Hashable {
        /// The stable code.
        public let code: String
        /// The error of CMHealth with the number.
        public let cmhealth: CMHealthError
        /// A sentence for the person.
        public let message: String

        /// Creates the problem of an error. An error without a number has 800.
        public init(_ error: any Error) {
            cmhealth = (error as? any CMHealthCoded)?.cmhealth ?? .unknown
            code = (error as? any CodedError)?.code ?? cmhealth.code
            message = (error as? any CodedError)?.message ?? cmhealth.message
        }
    }

    /// Maximum bytes of the text of a field. A longer text is not taken.
    public static let maximumBytes = 1_024

    /// The e-mail address as typed.
    public private(set) var email: String
    /// The password as typed. It is removed when the form closes.
    public private(set) var password = ""
    /// The state.
    public private(set) var phase = Phase.editing
    /// The problem of the last request; nil if there is none.
    public private(set) var problem: Problem?
    /// The problems of the fields, since the last submission.
    public private(set) var fieldProblems: [Field: Problem] = [:]

    /// Creates a form.
    ///
    /// - Parameter email: the address that is entered already.
    public init(email: String = "") { self.email = email.utf8.count <= Self.maximumBytes ? email : "" }

    /// Whether a request is in progress.
    public var isBusy: Bool { phase == .signingIn || phase == .sendingReset }

    /// Whether the fields of the current state pass their checks.
    public var isComplete: Bool { problems.isEmpty && (phase == .editing || phase == .resetting) }

    /// Handles an event.
    ///
    /// - Returns: the effect; nil for none.
    public mutating func handle(_ event: Event) -> Effect? {
        switch (phase, event) {
        case (.finished, _): return nil
        case (_, .cancelled): return finish(.cancelled)

        case (.editing, .edited(let field, let text)), (.resetting, .edited(let field, let text)):
            edit(field, to: text)
            return nil
        case (.editing, .submitted):
            guard check() else { return nil }
            phase = .signingIn
            return .signIn(email: email, password: password)
        case (.signingIn, .signedIn): return finish(.signedIn)
        case (.signingIn, .failed(let problem)):
            self.problem = problem
            phase = .editing
            return .report(.failed(problem))

        case (.editing, .forgotPassword):
            move(to: .resetting)
            return nil
        case (.resetting, .submitted):
            guard check() else { return nil }
            phase = .sendingReset
            return .requestReset(email: email)
        case (.sendingReset, .resetRequested):
            move(to: .resetSent)
            return nil
        case (.sendingReset, .failed(let problem)):
            self.problem = problem
            phase = .resetting
            return nil
        case (.resetting, .returned), (.resetSent, .returned):
            move(to: .editing)
            return nil

        default: return nil
        }
    }

    /// The problems of the fields of the current state.
    private var problems: [Field: Problem] {
        var problems: [Field: Problem] = [:]
        do throws(EmailAddressError) { _ = try EmailAddress(email) } catch { problems[.email] = Problem(error) }
        if phase != .resetting, password.isEmpty { problems[.password] = Problem(CMHealthError.invalidCredentials) }
        return problems
    }

    private mutating func check() -> Bool {
        problem = nil
        fieldProblems = problems
        return fieldProblems.isEmpty
    }

    private mutating func edit(_ field: Field, to text: String) {
        guard text.utf8.count <= Self.maximumBytes else { return }
        switch field {
        case .email: email = text
        case .password: password = text
        }
        fieldProblems[field] = nil
    }

    private mutating func move(to new: Phase) {
        phase = new
        problem = nil
        fieldProblems = [:]
    }

    private mutating func finish(_ outcome: Outcome) -> Effect {
        move(to: .finished)
        password = ""
        return .report(outcome)
    }
}
