/** What the Lambda entries need of the app. */
export interface App {
  fetch(request: Request): Response | Promise<Response>
}
