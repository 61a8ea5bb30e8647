import Identity
import ServerHTTP

/// The page on which a person signs in.
struct SignInPage {
    let asked: AuthorizationRequest
    /// The study's title.
    let title: String
    let proof: String
    let message: String?

    /// The same for an unknown name and for a wrong password.
    static let wrong = "The name or the password is wrong."

    var page: Page {
        let note = message.map { "<p class=\"warn\" role=\"alert\">\(Page.escape($0))</p>" } ?? ""
        return Page(
            title: "Sign in",
            body: """
                <p><strong>\(Page.escape(asked.client.name))</strong> asks for access to records of \
                \(Page.escape(title)). Sign in to see what it asks for; nothing is given before you agree.</p>
                \(note)
                <form method="post" action="sign-in">
                \(Page.hidden(asked.fields() + [(name: "proof", value: proof)]))
                <label class="field">Name
                <input type="text" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" \
                maxlength="256" required autofocus></label>
                <label class="field">Password
                <input type="password" name="password" autocomplete="current-password" maxlength="256" required></label>
                <div class="deeds"><button class="main" type="submit">Sign in</button></div>
                </form>
                """,
            formTargets: [asked.formTarget])
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
