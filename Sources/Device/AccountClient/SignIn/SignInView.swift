#if canImport(SwiftUI)
    import SwiftUI

    /// A view of ``SignInForm`` in SwiftUI.
    ///
    /// ```swift
    /// SignInView(client: client) { outcome in
    ///     if outcome != .cancelled { isSignedIn = outcome == .signedIn }
    /// }
    /// ```
    /// This view is untested: the project is built on Linux, where SwiftUI does not exist, so the view has not been
    /// compiled and not been seen. The form that it shows is tested.
    public struct SignInView: View {
        @State private var form: SignInForm
        @State private var work: Task<Void, Never>?
        private let client: AccountClient
        private let report: @MainActor (SignInForm.Outcome) -> Void

        /// Creates a view.
        ///
        /// - Parameters:
        ///   - client: the account of the phone's user.
        ///   - email: the address that is entered already.
        ///   - report: receives each outcome.
        public init(
            client: AccountClient, email: String = "", report: @escaping @MainActor (SignInForm.Outcome) -> Void
        ) {
            self.client = client
            self.report = report
            _form = State(initialValue: SignInForm(email: email))
        }

        public var body: some View {
            Form {
                Section {
                    TextField("E-mail address", text: text(of: .email, value: form.email))
                        .autocorrectionDisabled()
                    sentence(form.fieldProblems[.email])
                    if !isReset {
                        SecureField("Password", text: text(of: .password, value: form.password))
                        sentence(form.fieldProblems[.password])
                    }
                    sentence(form.problem)
                }
                Section {
                    if form.phase == .resetSent {
                        Text("A mail with a code is on its way, if there is an account with this address.")
                    } else {
                        Button(isReset ? "Send a code" : "Sign in") { send(.submitted) }.disabled(!form.isComplete)
                    }
                    if isReset {
                        Button("Back") { send(.returned) }.disabled(form.isBusy)
                    } else {
                        Button("Forgot password?") { send(.forgotPassword) }.disabled(form.isBusy)
                    }
                    Button("Cancel", role: .cancel) { send(.cancelled) }
                }
            }
            .onDisappear { work?.cancel() }
        }

        /// Whether the view shows the request for a new password.
        private var isReset: Bool {
            switch form.phase {
            case .resetting, .sendingReset, .resetSent: true
            case .editing, .signingIn, .finished: false
            }
        }

        private func text(of field: SignInForm.Field, value: String) -> Binding<String> {
            Binding(get: { value }, set: { send(.edited(field, $0)) })
        }

        @ViewBuilder private func sentence(_ problem: SignInForm.Problem?) -> some View {
            if let problem { Text(problem.message).foregroundStyle(.red) }
        }

        /// Passes an event to the form, and performs its effect.
        private func send(_ event: SignInForm.Event) {
            switch form.handle(event) {
            case .signIn(let email, let password)?:
                perform(then: .signedIn) { try await $0.login(email: email, password: password) }
            case .requestReset(let email)?:
                perform(then: .resetRequested) { try await $0.requestPasswordReset(email: email) }
            case .report(let outcome)?:
                if outcome == .cancelled { work?.cancel() }
                report(outcome)
            case nil: break
            }
        }

        private func perform(
            then success: SignInForm.Event, request: @escaping @Sendable (AccountClient) async throws -> Void
        ) {
            let client = client
            work = Task {
                do {
                    try await request(client)
                    send(success)
                } catch {
                    send(.failed(SignInForm.Problem(error)))
                }
            }
        }
    }
#endif
