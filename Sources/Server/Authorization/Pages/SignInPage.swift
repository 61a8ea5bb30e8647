import Core
import Identity
import ServerHTTP

/// The page on which a person signs in.
package struct SignInPage {
    /// The reason for which a person signs in.
    package enum Introduction: Sendable, Hashable {
        /// An app asks for access to records of a study.
        case app(name: String, study: String)
        /// The person looks at the access that others have.
        case ownAccess(study: String)

        fileprivate var html: String {
            switch self {
            case .app(let name, let study):
                """
                <strong>\(MarkupText.escaped(name))</strong> asks for access to records of \(MarkupText.escaped(study)). Sign in to see \
                what it asks for; nothing is given before you agree.
                """
            case .ownAccess(let study):
                """
                Sign in to see which apps and people have access to your records of \(MarkupText.escaped(study)), and to end it.
                """
            }
        }
    }

    let introduction: Introduction
    /// The relative address of the form.
    let action: String
    /// The hidden fields.
    let fields: [(name: String, value: String)]
    /// The targets of the form in addition to this server.
    let formTargets: [String]
    let proof: String
    let message: String?

    /// - Parameters:
    ///   - action: the relative address of the form.
    ///   - proof: the proof that the form was sent to this browser (``PageSessions``).
    package init(
        introduction: Introduction, action: String, fields: [(name: String, value: String)] = [],
        formTargets: [String] = [], proof: String, message: String?
    ) {
        self.introduction = introduction
        self.action = action
        self.fields = fields
        self.formTargets = formTargets
        self.proof = proof
        self.message = message
    }

    /// The same for an unknown name and for a wrong password.
    package static let wrong = "The name or the password is wrong."

    package var page: Page {
        let note = message.map { "<p class=\"warn\" role=\"alert\">\(MarkupText.escaped($0))</p>" } ?? ""
        return Page(
            title: "Sign in",
            body: """
                <p>\(introduction.html)</p>
                \(note)
                <form method="post" action="\(MarkupText.escaped(action))">
                \(Page.hidden(fields + [(name: "proof", value: proof)]))
                <label class="field">Name
                <input type="text" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" \
                maxlength="256" required autofocus></label>
                <label class="field">Password
                <input type="password" name="password" autocomplete="current-password" maxlength="256" required></label>
                <div class="deeds"><button class="main" type="submit">Sign in</button></div>
                </form>
                """,
            formTargets: formTargets)
    }
}

extension AuthorizationRequest {
    /// The target of the forms for the page's policy. A browser follows a form's redirect only to a target that the
    /// policy allows.
    var formTarget: String {
        guard let url = RegisteredURL(redirectURI) else { return "'self'" }
        return url.origin ?? url.scheme + ":"
    }
}
