import Questionnaires

/// The words of a preview in other languages than English, in addition to those of the library.
enum PreviewSentences {
    static let table = SentenceTable.standard.adding([("de", german), ("es", spanish), ("fr", french)])

    private static let german: StaticString = """
        A form without a title
        Ein Formular ohne Titel
        Can be repeated
        Kann wiederholt werden
        One or more of these answers
        Eine oder mehrere dieser Antworten
        One of these answers
        Eine dieser Antworten
        Yes or no
        Ja oder nein
        Own words
        Eigene Worte
        Own words: {1}
        Eigene Worte: {1}
        Another answer
        Eine andere Antwort
        A code
        Ein Code
        A date
        Ein Datum
        A date, or a date with a time
        Ein Datum, auch mit Uhrzeit
        A time of day
        Eine Uhrzeit
        A text of several lines
        Ein Text mit mehreren Zeilen
        A text of one line
        Ein Text in einer Zeile
        A web address
        Eine Internetadresse
        A file
        Eine Datei
        A reference to a record
        Ein Verweis auf einen Datensatz
        A number in one of the units {1}
        Eine Zahl in einer der Einheiten {1}
        A whole number
        Eine ganze Zahl
        A number
        Eine Zahl
        A whole number in {1}
        Eine ganze Zahl in {1}
        A number in {1}
        Eine Zahl in {1}
        points: {1}
        Punkte: {1}
        excludes all others
        schließt alle anderen aus
        and {1} more
        und {1} weitere
        From {1} to {2}
        Von {1} bis {2}
        From {1}
        Ab {1}
        Up to {1}
        Bis {1}
        Minimum number of characters: {1}
        Mindestzahl der Zeichen: {1}
        Maximum number of characters: {1}
        Höchstzahl der Zeichen: {1}
        Maximum number of decimal places: {1}
        Höchstzahl der Nachkommastellen: {1}
        Minimum number of answers: {1}
        Mindestzahl der Antworten: {1}
        Maximum number of answers: {1}
        Höchstzahl der Antworten: {1}
        Several answers
        Mehrere Antworten
        Format: {1}
        Schreibweise: {1}
        Files: {1}
        Dateien: {1}
        At the start: {1}
        Am Anfang: {1}
        Calculated by the form: {1}
        Vom Formular berechnet: {1}
        Cannot be changed
        Kann nicht geändert werden
        the expression of the form is true: {1}
        der Ausdruck des Formulars wahr ist: {1}
        {1} or {2}
        {1} oder {2}
        Shown if {1}.
        Wird gezeigt, wenn {1}.
        Shown if one of these is true:
        Wird gezeigt, wenn eines davon gilt:
        Shown if all of these are true:
        Wird gezeigt, wenn all dies gilt:
        a condition that cannot be read
        eine unlesbare Bedingung gilt
        “{1}” has an answer
        „{1}“ beantwortet ist
        “{1}” has no answer
        „{1}“ nicht beantwortet ist
        the answer to “{1}” is “{2}”
        die Antwort auf „{1}“ „{2}“ ist
        the answer to “{1}” is not “{2}”
        die Antwort auf „{1}“ nicht „{2}“ ist
        the answer to “{1}” is after {2}
        die Antwort auf „{1}“ nach {2} liegt
        the answer to “{1}” is before {2}
        die Antwort auf „{1}“ vor {2} liegt
        the answer to “{1}” is {2} or later
        die Antwort auf „{1}“ {2} oder später ist
        the answer to “{1}” is {2} or earlier
        die Antwort auf „{1}“ {2} oder früher ist
        the answer to “{1}” is greater than {2}
        die Antwort auf „{1}“ größer als {2} ist
        the answer to “{1}” is less than {2}
        die Antwort auf „{1}“ kleiner als {2} ist
        the answer to “{1}” is {2} or more
        die Antwort auf „{1}“ {2} oder mehr ist
        the answer to “{1}” is {2} or less
        die Antwort auf „{1}“ {2} oder weniger ist
        A preview of the form, with all questions.
        Eine Vorschau des Formulars mit allen Fragen.
        Questions
        Fragen
        Languages
        Sprachen
        Version
        Fassung
        Contents
        Inhalt
        Page {1}
        Seite {1}
        required
        erforderlich
        Not shown to people
        Wird nicht gezeigt
        """

    private static let spanish: StaticString = """
        A form without a title
        Un formulario sin título
        Can be repeated
        Puede repetirse
        One or more of these answers
        Una o varias de estas respuestas
        One of these answers
        Una de estas respuestas
        Yes or no
        Sí o no
        Own words
        Sus propias palabras
        Own words: {1}
        Sus propias palabras: {1}
        Another answer
        Otra respuesta
        A code
        Un código
        A date
        Una fecha
        A date, or a date with a time
        Una fecha, también con hora
        A time of day
        Una hora del día
        A text of several lines
        Un texto de varias líneas
        A text of one line
        Un texto de una línea
        A web address
        Una dirección web
        A file
        Un archivo
        A reference to a record
        Una referencia a un registro
        A number in one of the units {1}
        Un número en una de las unidades {1}
        A whole number
        Un número entero
        A number
        Un número
        A whole number in {1}
        Un número entero en {1}
        A number in {1}
        Un número en {1}
        points: {1}
        puntos: {1}
        excludes all others
        excluye todas las demás
        and {1} more
        y {1} más
        From {1} to {2}
        De {1} a {2}
        From {1}
        Desde {1}
        Up to {1}
        Hasta {1}
        Minimum number of characters: {1}
        Número mínimo de caracteres: {1}
        Maximum number of characters: {1}
        Número máximo de caracteres: {1}
        Maximum number of decimal places: {1}
        Número máximo de decimales: {1}
        Minimum number of answers: {1}
        Número mínimo de respuestas: {1}
        Maximum number of answers: {1}
        Número máximo de respuestas: {1}
        Several answers
        Varias respuestas
        Format: {1}
        Formato: {1}
        Files: {1}
        Archivos: {1}
        At the start: {1}
        Al principio: {1}
        Calculated by the form: {1}
        Calculado por el formulario: {1}
        Cannot be changed
        No se puede cambiar
        the expression of the form is true: {1}
        la expresión del formulario es verdadera: {1}
        {1} or {2}
        {1} o {2}
        Shown if {1}.
        Se muestra si {1}.
        Shown if one of these is true:
        Se muestra si se cumple una de estas condiciones:
        Shown if all of these are true:
        Se muestra si se cumplen todas estas condiciones:
        a condition that cannot be read
        se cumple una condición ilegible
        “{1}” has an answer
        «{1}» tiene respuesta
        “{1}” has no answer
        «{1}» no tiene respuesta
        the answer to “{1}” is “{2}”
        la respuesta a «{1}» es «{2}»
        the answer to “{1}” is not “{2}”
        la respuesta a «{1}» no es «{2}»
        the answer to “{1}” is after {2}
        la respuesta a «{1}» es posterior a {2}
        the answer to “{1}” is before {2}
        la respuesta a «{1}» es anterior a {2}
        the answer to “{1}” is {2} or later
        la respuesta a «{1}» es {2} o posterior
        the answer to “{1}” is {2} or earlier
        la respuesta a «{1}» es {2} o anterior
        the answer to “{1}” is greater than {2}
        la respuesta a «{1}» es mayor que {2}
        the answer to “{1}” is less than {2}
        la respuesta a «{1}» es menor que {2}
        the answer to “{1}” is {2} or more
        la respuesta a «{1}» es {2} o más
        the answer to “{1}” is {2} or less
        la respuesta a «{1}» es {2} o menos
        A preview of the form, with all questions.
        Una vista previa del formulario con todas las preguntas.
        Questions
        Preguntas
        Languages
        Idiomas
        Version
        Versión
        Contents
        Contenido
        Page {1}
        Página {1}
        required
        obligatoria
        Not shown to people
        No se muestra
        """

    private static let french: StaticString = """
        A form without a title
        Un formulaire sans titre
        Can be repeated
        Peut être répété
        One or more of these answers
        Une ou plusieurs de ces réponses
        One of these answers
        Une de ces réponses
        Yes or no
        Oui ou non
        Own words
        Vos propres mots
        Own words: {1}
        Vos propres mots : {1}
        Another answer
        Une autre réponse
        A code
        Un code
        A date
        Une date
        A date, or a date with a time
        Une date, aussi avec une heure
        A time of day
        Une heure
        A text of several lines
        Un texte de plusieurs lignes
        A text of one line
        Un texte d'une ligne
        A web address
        Une adresse web
        A file
        Un fichier
        A reference to a record
        Une référence à un enregistrement
        A number in one of the units {1}
        Un nombre dans une des unités {1}
        A whole number
        Un nombre entier
        A number
        Un nombre
        A whole number in {1}
        Un nombre entier en {1}
        A number in {1}
        Un nombre en {1}
        points: {1}
        points : {1}
        excludes all others
        exclut toutes les autres
        and {1} more
        et {1} autres
        From {1} to {2}
        De {1} à {2}
        From {1}
        À partir de {1}
        Up to {1}
        Jusqu'à {1}
        Minimum number of characters: {1}
        Nombre minimal de caractères : {1}
        Maximum number of characters: {1}
        Nombre maximal de caractères : {1}
        Maximum number of decimal places: {1}
        Nombre maximal de décimales : {1}
        Minimum number of answers: {1}
        Nombre minimal de réponses : {1}
        Maximum number of answers: {1}
        Nombre maximal de réponses : {1}
        Several answers
        Plusieurs réponses
        Format: {1}
        Format : {1}
        Files: {1}
        Fichiers : {1}
        At the start: {1}
        Au début : {1}
        Calculated by the form: {1}
        Calculé par le formulaire : {1}
        Cannot be changed
        Ne peut pas être modifié
        the expression of the form is true: {1}
        l'expression du formulaire est vraie : {1}
        {1} or {2}
        {1} ou {2}
        Shown if {1}.
        S'affiche si {1}.
        Shown if one of these is true:
        S'affiche si une de ces conditions est remplie :
        Shown if all of these are true:
        S'affiche si toutes ces conditions sont remplies :
        a condition that cannot be read
        une condition illisible est remplie
        “{1}” has an answer
        « {1} » a une réponse
        “{1}” has no answer
        « {1} » n'a pas de réponse
        the answer to “{1}” is “{2}”
        la réponse à « {1} » est « {2} »
        the answer to “{1}” is not “{2}”
        la réponse à « {1} » n'est pas « {2} »
        the answer to “{1}” is after {2}
        la réponse à « {1} » est après {2}
        the answer to “{1}” is before {2}
        la réponse à « {1} » est avant {2}
        the answer to “{1}” is {2} or later
        la réponse à « {1} » est {2} ou plus tard
        the answer to “{1}” is {2} or earlier
        la réponse à « {1} » est {2} ou plus tôt
        the answer to “{1}” is greater than {2}
        la réponse à « {1} » est supérieure à {2}
        the answer to “{1}” is less than {2}
        la réponse à « {1} » est inférieure à {2}
        the answer to “{1}” is {2} or more
        la réponse à « {1} » est {2} ou plus
        the answer to “{1}” is {2} or less
        la réponse à « {1} » est {2} ou moins
        A preview of the form, with all questions.
        Un aperçu du formulaire avec toutes les questions.
        Questions
        Nombre de questions
        Languages
        Langues
        Version
        Version du formulaire
        Contents
        Sommaire
        Page {1}
        {1}e page
        required
        obligatoire
        Not shown to people
        Non affiché
        """
}
