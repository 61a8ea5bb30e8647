import Questionnaires

/// The words of the dialogue in other languages than English, in addition to those of the library. Commands such as
/// `back` are the same in all languages.
package enum TerminalSentences {
    package static let table = SentenceTable.standard.adding([("de", german), ("es", spanish), ("fr", french)])

    private static let german: StaticString = """
        Type y or n.
        Geben Sie j oder n ein.
        That is no answer to this question. {1}
        Das ist keine Antwort auf diese Frage. {1}
        At least {1} are asked for.
        Mindestens {1} werden verlangt.
        Fill in: {1}? (y/N)
        Ausfüllen: {1}? (j/N)
        Another one: {1}? (y/N)
        Noch einmal: {1}? (j/N)
        (chosen)
        (gewählt)
        Lower end: {1}
        Unteres Ende: {1}
        Upper end: {1}
        Oberes Ende: {1}
        Unit: {1}
        Einheit: {1}
        several separated by commas
        mehrere durch Kommas getrennt
        several separated by semicolons
        mehrere durch Semikolons getrennt
        Enter keeps: {1}; clear
        Eingabetaste behält: {1}; clear
        Enter skips
        Eingabetaste überspringt
        the number of an answer, or y or n
        die Nummer einer Antwort, oder j oder n
        your own words
        eigene Worte
        your own words: {1}
        eigene Worte: {1}
        the number of an answer, or {1}
        die Nummer einer Antwort, oder {1}
        a code
        ein Code
        the number of an answer, or another code as system|code
        die Nummer einer Antwort, oder ein anderer Code als system|code
        the number of an answer, or a reference such as Patient/1
        die Nummer einer Antwort, oder ein Verweis wie Patient/1
        the number of an answer, or text
        die Nummer einer Antwort, oder Text
        the number of an answer
        die Nummer einer Antwort
        a whole number
        eine ganze Zahl
        a number
        eine Zahl
        a number and one of the units {1}
        eine Zahl und eine der Einheiten {1}
        a number in {1}
        eine Zahl in {1}
        a number from {1} to {2}
        eine Zahl von {1} bis {2}
        a number from {1} to {2} in steps of {3}
        eine Zahl von {1} bis {2} in Schritten von {3}
        a date such as 2026-01-31
        ein Datum wie 2026-01-31
        a date such as 2026-01-31, or with a time 2026-01-31T08:30:00+01:00
        ein Datum wie 2026-01-31, oder mit Uhrzeit 2026-01-31T08:30:00+01:00
        a time such as 08:30
        eine Uhrzeit wie 08:30
        an address such as https://example.org
        eine Adresse wie https://example.org
        the path of a file, or its address
        der Pfad einer Datei, oder ihre Adresse
        a reference such as Patient/1
        ein Verweis wie Patient/1
        text
        Text
        This form is answered in one direction only.
        Dieses Formular wird nur in einer Richtung beantwortet.
        Something is left to do: {1}
        Es fehlt noch etwas: {1}
        {1}: not available
        {1}: nicht verfügbar
        More: {1}
        Mehr: {1}
        """

    private static let spanish: StaticString = """
        Type y or n.
        Escriba s o n.
        That is no answer to this question. {1}
        Eso no es una respuesta a esta pregunta. {1}
        At least {1} are asked for.
        Se piden al menos {1}.
        Fill in: {1}? (y/N)
        ¿Rellenar: {1}? (s/N)
        Another one: {1}? (y/N)
        ¿Otra vez: {1}? (s/N)
        (chosen)
        (elegida)
        Lower end: {1}
        Extremo inferior: {1}
        Upper end: {1}
        Extremo superior: {1}
        Unit: {1}
        Unidad: {1}
        several separated by commas
        varias separadas por comas
        several separated by semicolons
        varias separadas por punto y coma
        Enter keeps: {1}; clear
        Intro conserva: {1}; clear
        Enter skips
        Intro omite
        the number of an answer, or y or n
        el número de una respuesta, o s o n
        your own words
        sus propias palabras
        your own words: {1}
        sus propias palabras: {1}
        the number of an answer, or {1}
        el número de una respuesta, o {1}
        a code
        un código
        the number of an answer, or another code as system|code
        el número de una respuesta, u otro código como system|code
        the number of an answer, or a reference such as Patient/1
        el número de una respuesta, o una referencia como Patient/1
        the number of an answer, or text
        el número de una respuesta, o texto
        the number of an answer
        el número de una respuesta
        a whole number
        un número entero
        a number
        un número
        a number and one of the units {1}
        un número y una de las unidades {1}
        a number in {1}
        un número en {1}
        a number from {1} to {2}
        un número de {1} a {2}
        a number from {1} to {2} in steps of {3}
        un número de {1} a {2} en pasos de {3}
        a date such as 2026-01-31
        una fecha como 2026-01-31
        a date such as 2026-01-31, or with a time 2026-01-31T08:30:00+01:00
        una fecha como 2026-01-31, o con hora 2026-01-31T08:30:00+01:00
        a time such as 08:30
        una hora como 08:30
        an address such as https://example.org
        una dirección como https://example.org
        the path of a file, or its address
        la ruta de un archivo, o su dirección
        a reference such as Patient/1
        una referencia como Patient/1
        text
        texto
        This form is answered in one direction only.
        Este formulario se responde en un solo sentido.
        Something is left to do: {1}
        Queda algo por hacer: {1}
        {1}: not available
        {1}: no disponible
        More: {1}
        Más: {1}
        """

    private static let french: StaticString = """
        Type y or n.
        Tapez o ou n.
        That is no answer to this question. {1}
        Ce n'est pas une réponse à cette question. {1}
        At least {1} are asked for.
        Il en faut au moins {1}.
        Fill in: {1}? (y/N)
        Remplir : {1} ? (o/N)
        Another one: {1}? (y/N)
        Encore une fois : {1} ? (o/N)
        (chosen)
        (choisi)
        Lower end: {1}
        Extrémité inférieure : {1}
        Upper end: {1}
        Extrémité supérieure : {1}
        Unit: {1}
        Unité : {1}
        several separated by commas
        plusieurs séparées par des virgules
        several separated by semicolons
        plusieurs séparées par des points-virgules
        Enter keeps: {1}; clear
        Entrée conserve : {1} ; clear
        Enter skips
        Entrée passe
        the number of an answer, or y or n
        le numéro d'une réponse, ou o ou n
        your own words
        vos propres mots
        your own words: {1}
        vos propres mots : {1}
        the number of an answer, or {1}
        le numéro d'une réponse, ou {1}
        a code
        un code
        the number of an answer, or another code as system|code
        le numéro d'une réponse, ou un autre code comme system|code
        the number of an answer, or a reference such as Patient/1
        le numéro d'une réponse, ou une référence comme Patient/1
        the number of an answer, or text
        le numéro d'une réponse, ou un texte
        the number of an answer
        le numéro d'une réponse
        a whole number
        un nombre entier
        a number
        un nombre
        a number and one of the units {1}
        un nombre et l'une des unités {1}
        a number in {1}
        un nombre en {1}
        a number from {1} to {2}
        un nombre de {1} à {2}
        a number from {1} to {2} in steps of {3}
        un nombre de {1} à {2} par pas de {3}
        a date such as 2026-01-31
        une date comme 2026-01-31
        a date such as 2026-01-31, or with a time 2026-01-31T08:30:00+01:00
        une date comme 2026-01-31, ou avec l'heure 2026-01-31T08:30:00+01:00
        a time such as 08:30
        une heure comme 08:30
        an address such as https://example.org
        une adresse comme https://example.org
        the path of a file, or its address
        le chemin d'un fichier, ou son adresse
        a reference such as Patient/1
        une référence comme Patient/1
        text
        texte
        This form is answered in one direction only.
        Ce formulaire se remplit dans un seul sens.
        Something is left to do: {1}
        Il reste quelque chose à faire : {1}
        {1}: not available
        {1} : non disponible
        More: {1}
        En savoir plus : {1}
        """
}

extension SurveyDialogue {
    /// Returns a sentence in the language of the dialogue.
    func written(_ sentence: Sentence) -> String { sentence.text(in: language, from: TerminalSentences.table) }
}
