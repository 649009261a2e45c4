/** Starts the page. */
import { render } from 'preact'
import { DashboardApp } from './page/app.tsx'

render(<DashboardApp />, document.getElementById('page')!)
